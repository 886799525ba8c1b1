// The relaxed game of the dead-position test of family `spider`, word for word as
// docs/method-spider.md says it, slowly: a twin of the fast one.  No event is taken at once, and all
// orders of events are tried.
#pragma once

#include <algorithm>
#include <compare>
#include <optional>
#include <set>
#include <vector>

#include "../spider.hpp"
#include "spider_walk.hpp"

namespace solstat::test {

/// A position taken apart into plain piles, and whether all of its cards can be laid bare.
class RelaxedGame {
  public:
    template <class Key>
    RelaxedGame(const spider::Board<Key>& board, const spider::Position<Key>& at)
        : rules_(board.rules()), on_(64, no_card), under_(64, no_card), table_(64), up_(64), gone_(64) {
        for (int p = 0; p < rules_.piles; ++p) {
            piles_.push_back(pile(at, p));
            for (const Card card : piles_.back()) table_[card] = true;
            for (std::size_t i = 1; i < piles_.back().size(); ++i) {
                on_[piles_.back()[i - 1]] = piles_.back()[i];
                under_[piles_.back()[i]] = piles_.back()[i - 1];
            }
        }
        for (int suit = 0; suit < rules_.suits; ++suit)
            for (int rank = 0; rank < rules_.ranks; ++rank) deck_.push_back(static_cast<Card>(16 * suit + rank));
        for (const Card card : deck_) {
            up_[card] = at.up & bit(card);
            gone_[card] = at.gone & bit(card);
        }
        stock_.assign(board.stock().begin() + at.dealt, board.stock().end());
    }

    /// Whether the position is dead; nothing if there are more states than `limit`.
    std::optional<bool> dead(std::size_t limit) const {
        std::set<State> seen;
        std::vector<State> todo;
        const auto visit = [&](const State& state) {
            if (seen.insert(state).second) todo.push_back(state);
        };
        visit({std::vector<bool>(64), std::vector<bool>(4), false});
        while (!todo.empty()) {
            if (seen.size() > limit) return std::nullopt;
            const State state = todo.back();
            todo.pop_back();
            if (goal(state)) return false;
            for (const State& next : events(state)) visit(next);
        }
        return true;
    }

  private:
    struct State {
        std::vector<bool> lifted, left;  ///< cards; suits
        bool dealt;
        auto operator<=>(const State&) const = default;
    };

    bool king(Card card) const { return rank_of(card) == rules_.ranks - 1; }
    bool hosted(Card card) const { return under_[card] != no_card && rank_of(under_[card]) == rank_of(card) + 1; }
    bool host(Card card) const { return on_[card] != no_card && hosted(on_[card]); }
    bool joined(Card card) const {
        return hosted(card) && suit_of(under_[card]) == suit_of(card) && up_[card] && up_[under_[card]];
    }
    bool base(Card card) const { return table_[card] && under_[card] == no_card; }
    bool in_stock(Card card) const { return std::find(stock_.begin(), stock_.end(), card) != stock_.end(); }

    /// On the foundation of a suit that is partly back.
    bool returning(Card card) const {
        return gone_[card] && std::any_of(deck_.begin(), deck_.end(), [&](Card other) {
                   return suit_of(other) == suit_of(card) && !gone_[other];
               });
    }

    bool bare(const State& state, Card card) const {
        if (in_stock(card)) return state.dealt;
        if (!table_[card]) return returning(card);
        const Card on = on_[card];
        return on == no_card || state.lifted[on] || (king(on) && state.left[suit_of(on)]);
    }

    bool went_along(const State& state, Card card) const {
        return joined(card) && (state.lifted[under_[card]] || went_along(state, under_[card]));
    }

    bool in_place(const State& state, Card card) const {
        return !state.lifted[card] && !state.left[suit_of(card)] && !went_along(state, card);
    }

    /// The card of the next deal that covers a pile, or no_card.
    Card cover(const State& state, std::size_t p) const {
        if (!state.dealt || p >= stock_.size()) return no_card;
        if (state.lifted[stock_[p]] || state.left[suit_of(stock_[p])]) return no_card;
        for (const Card card : piles_[p])
            if (in_place(state, card)) return stock_[p];
        return no_card;
    }

    bool covered(const State& state, Card card) const {
        for (std::size_t p = 0; p < piles_.size(); ++p)
            for (const Card other : piles_[p])
                if (other == card) return in_place(state, card) && cover(state, p) != no_card;
        return false;
    }

    bool head(const State& state, Card card) const {
        if (covered(state, card)) return false;
        if (bare(state, card)) return true;
        const Card on = on_[card];
        return on != no_card && joined(on) && head(state, on);
    }

    /// Whether nothing but its suit's other cards keeps a card from leaving.
    bool ready(const State& state, Card card) const {
        return state.lifted[card] || (head(state, card) && (joined(card) || king(card) || !table_[card]));
    }

    bool goal(const State& state) const {
        for (const Card card : deck_)
            if (!(gone_[card] && !returning(card)) && !state.left[suit_of(card)] && !ready(state, card)) return false;
        return true;
    }

    /// A king whose run has left needs no pile.
    bool needs_none(const State& state, Card card) const { return king(card) && state.left[suit_of(card)]; }

    /// T of the page.
    int placed(const State& state, int rank) const {
        int cards = 0;
        for (const Card card : deck_)
            cards += rank_of(card) == rank && state.lifted[card] && !hosted(card) && !needs_none(state, card);
        return cards;
    }

    /// F of the page.
    int free(const State& state, int rank) const {
        int cards = 0;
        for (const Card card : deck_) cards += rank_of(card) == rank + 1 && bare(state, card) && !host(card);
        return cards;
    }

    int slack(const State& state) const {
        int piles = rules_.piles;
        for (const Card card : deck_) piles -= base(card) && !state.lifted[card] && !needs_none(state, card);
        for (int rank = 0; rank < rules_.ranks; ++rank) piles -= std::max(0, placed(state, rank) - free(state, rank));
        return piles;
    }

    bool tight(const State& state, int rank) const { return placed(state, rank) >= free(state, rank); }

    /// Whether there is room to lift a card, with some group that it may head.
    bool room(const State& state, Card card) const {
        for (Card top = card;; --top) {
            const bool ace = rank_of(top) == 0;
            const auto next = static_cast<Card>(top - 1);
            const bool must = !ace && joined(next) && !state.lifted[next];
            const bool may = !ace && (state.lifted[next] || (bare(state, next) && !table_[next]));
            const int needed = tight(state, rank_of(card)) + (!ace && tight(state, rank_of(top) - 1));
            if (!must && slack(state) >= needed) return true;
            if (!must && !may) return false;
        }
    }

    bool leaves(const State& state, int suit) const {
        if (state.left[suit]) return false;
        for (const Card card : deck_) {
            if (suit_of(card) != suit) continue;
            if (!ready(state, card)) return false;  // as is every card of a suit that had left in full
        }
        return true;
    }

    /// The states that one event leads to.
    std::vector<State> events(const State& state) const {
        std::vector<State> after;
        const auto lift = [&](Card card) {
            after.push_back(state);
            after.back().lifted[card] = true;
        };
        for (int suit = 0; suit < rules_.suits; ++suit) {  // 1
            if (!leaves(state, suit)) continue;
            after.push_back(state);
            after.back().left[suit] = true;
        }
        for (const Card card : deck_)  // 2
            if (table_[card] && !state.lifted[card] && head(state, card) && !needs_none(state, card) && room(state, card))
                lift(card);
        if (!state.dealt && !stock_.empty()) {  // 3
            after.push_back(state);
            after.back().dealt = true;
        }
        for (std::size_t p = 0; p < piles_.size(); ++p)  // 4
            if (const Card card = cover(state, p); card != no_card && room(state, card)) lift(card);
        return after;
    }

    spider::Rules rules_;
    std::vector<Card> on_, under_, deck_, stock_;
    std::vector<std::vector<Card>> piles_;
    std::vector<bool> table_, up_, gone_;
};

}  // namespace solstat::test
