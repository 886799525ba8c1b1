// Family `scorpion` (presets wasp and scorpion): the table and its moves.
// The rules themselves are written down in games/scorpion.py; this is their fast twin.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cards.hpp"
#include "keys.hpp"
#include "opening.hpp"

namespace solstat::scorpion {

struct Rules {
    int ranks = 13, suits = 4, piles = 7, depth = 7;
    int face_down_piles = 4;
    bool any_to_empty = true;  ///< empty_pile=any (wasp) rather than king (scorpion)
};

inline constexpr int max_piles = 7;
inline constexpr Card base = 64;  ///< what the bottom card of a pile lies on

/// A card with all on it to a pile; card == deal_stock is the deal.
struct Move {
    Card card;
    std::uint8_t pile;
    bool operator==(const Move&) const = default;
};
inline constexpr Card deal_stock = 0xFE;

inline std::string move_text(Move move) {
    if (move.card == deal_stock) return "deal";
    return card_text(move.card) + ">" + std::to_string(move.pile + 1);
}

/// The table as links: every card knows what it lies on and the set of cards above it.
///
/// A move changes one link, so the key of the position (a sum of link keys) costs O(1).  Piles are
/// interchangeable once no stock card can tell them apart: base symbols differ only for the piles
/// that the stock will be dealt to, and only until then.
template <class Key>
class Board {
  public:
    using Keys = LinkKeys<Key, 1 + max_piles>;

    /// What `undo` needs to take a move back.
    struct Undo {
        Key key;
        Set up, joined;
        Move move;
        Card was_on;        ///< what the moved card lay on
        std::uint8_t from;  ///< the pile it came from
        std::uint8_t runs;  ///< finished runs that left
        std::array<std::uint8_t, 4> run_suit, run_pile;
    };

    Board(const Rules& rules, const Keys& keys) : rules_(rules), keys_(&keys) {
        for (int suit = 0; suit < rules.suits; ++suit) {
            suit_sets_[suit] = ((Set{1} << rules.ranks) - 1) << (16 * suit);
            deck_ |= suit_sets_[suit];
            kings_ |= bit(king(suit));
        }
    }

    /// Lays out a deal (cards as 16 * suit + rank, first card dealt first) and plays what was played.
    void start(Opening<Move> from) {
        const auto deal = from.deal;
        above_.fill(0);
        below_.fill(no_card);
        pile_.fill(0);
        top_.fill(no_card);
        up_ = joined_ = gone_ = stock_set_ = tops_ = bottoms_ = 0;
        key_ = 0;
        const int laid = rules_.piles * rules_.depth;
        stock_.assign(deal.begin() + laid, deal.end());
        for (const Card card : stock_) stock_set_ |= bit(card);
        for (int i = 0; i < laid; ++i) {
            const int p = i % rules_.piles, row = i / rules_.piles;
            put(deal[i], p, row >= 3 || p >= rules_.face_down_piles);
        }
        for (int p = 0; p < rules_.piles; ++p) turn_up(p);
        Undo ignored{};
        for (int p = 0; p < rules_.piles; ++p) leave(p, ignored);
        for (const Move move : from.played) play(move, ignored);
    }

    bool won() const { return gone_ == deck_; }
    /// Cards on the table that do not lie joined; a king never does.
    Set unjoined() const { return deck_ & ~gone_ & ~joined_; }
    bool stock_left() const { return stock_set_ != 0; }
    Key key() const { return key_; }
    Set kings() const { return kings_; }
    Set on_table() const { return deck_ & ~gone_ & ~stock_set_; }
    Set up() const { return up_; }
    Set joined() const { return joined_; }
    Set gone() const { return gone_; }
    Set stock() const { return stock_set_; }
    Set tops() const { return tops_; }
    Set bottoms() const { return bottoms_; }
    Set pile(int p) const { return pile_[p]; }
    Card top(int p) const { return top_[p]; }
    Card below(Card card) const { return below_[card]; }
    Set above(Card card) const { return above_[card]; }
    const Rules& rules() const { return rules_; }
    bool is_king(Card card) const { return kings_ & bit(card); }
    Set suit_set(int suit) const { return suit_sets_[suit]; }

    int pile_of(Card card) const { return place_[card]; }
    int empty_piles() const {
        return rules_.piles - std::popcount(tops_);
    }

    /// Whether a move is legal; every rule of the family that can refuse one is here.
    bool legal(Move move) const {
        if (move.card == deal_stock) return stock_left();
        if (move.pile >= rules_.piles || move.card >= 64) return false;
        if (!(up_ & bit(move.card) & ~gone_ & ~stock_set_)) return false;
        if (pile_[move.pile]) {
            const Card target = top_[move.pile];
            return target == move.card + 1 && !(above_[move.card] & bit(target));
        }
        if (!rules_.any_to_empty && !is_king(move.card)) return false;
        return below_[move.card] != base || stock_left();
    }

    /// What a move would put its card on: a card, or the base symbol of an empty pile.
    int lands_on(Move move) const {
        return pile_[move.pile] ? top_[move.pile] : symbol(base, move.pile);
    }

    /// The move of a card onto a card, or onto an empty pile with that base symbol.
    Move move_onto(Card card, int onto) const {
        int p = 0;
        if (onto < base) p = pile_of(static_cast<Card>(onto));
        else while (pile_[p] || symbol(base, p) != onto) ++p;
        return {card, static_cast<std::uint8_t>(p)};
    }

    /// Every legal move, unpruned, each empty pile on its own; only cards of `to_empty` to those.
    void all_moves(std::vector<Move>& out, Set to_empty = ~Set{0}) const {
        for (int p = 0; p < rules_.piles; ++p) {
            const auto target = static_cast<std::uint8_t>(p);
            if (pile_[p]) {
                if (rank_of(top_[p]) == 0) continue;
                const Move move{static_cast<Card>(top_[p] - 1), target};
                if (legal(move)) out.push_back(move);
            } else {
                each(to_empty & up_ & ~gone_ & ~stock_set_, [&](Card card) {
                    if (const Move move{card, target}; legal(move)) out.push_back(move);
                });
            }
        }
        if (stock_left()) out.push_back({deal_stock, 0});
    }

    /// Plays a legal move, turns cards up and takes finished runs off.
    void play(Move move, Undo& undo) {
        undo = {key_, up_, joined_, move, no_card, 0, 0, {}, {}};
        if (move.card == deal_stock) {
            deal_out(undo);
            return;
        }
        const int from = place_[move.card], to = move.pile;
        undo.was_on = below_[move.card];
        undo.from = static_cast<std::uint8_t>(from);
        const Card target = pile_[to] ? top_[to] : base;
        shift(move.card, from, to, target);
        key_ ^= keys_->link(move.card, symbol(undo.was_on, from)) ^
                keys_->link(move.card, symbol(target, to));
        if (target != base) joined_ |= bit(move.card);
        else joined_ &= ~bit(move.card);
        turn_up(from);
        leave(to, undo);
        leave(from, undo);
    }

    /// The key after a move of a card, or nothing where a run may leave (then play it to know).
    std::optional<Key> key_after(Move move) const {
        const Card old = below_[move.card];
        const int to = pile_[move.pile] ? top_[move.pile] : symbol(base, move.pile);
        const Set suit = suit_set(suit_of(move.card)) & ~kings_;
        if (to < base && ((joined_ | bit(move.card)) & suit) == suit) return std::nullopt;
        Key key = key_ ^ keys_->link(move.card, to);
        if (old == base) return key ^ keys_->link(move.card, symbol(base, pile_of(move.card)));
        if (rank_of(old) == 0) return std::nullopt;
        if (!(up_ & bit(old))) key ^= keys_->up(old);
        return key ^ keys_->link(move.card, old);
    }

    void take_back(const Undo& undo) {
        for (int i = undo.runs; i-- > 0;) put_back(undo.run_suit[i], undo.run_pile[i]);
        if (undo.move.card == deal_stock) {
            for (std::size_t i = 0; i < stock_.size(); ++i) {
                const Card card = stock_[i];
                pile_[i] ^= bit(card);
                top_[i] = below_[card] == base ? no_card : below_[card];
                tops_ ^= bit(card);
                if (pile_[i]) tops_ |= bit(top_[i]);
                else bottoms_ ^= bit(card);
                below_[card] = no_card;
                each(pile_[i], [&](Card c) { above_[c] ^= bit(card); });
                stock_set_ |= bit(card);
            }
        } else {
            shift(undo.move.card, undo.move.pile, undo.from, undo.was_on);
        }
        key_ = undo.key;
        up_ = undo.up;
        joined_ = undo.joined;
    }

    /// The key computed from nothing, for tests.
    Key recomputed_key() const {
        Key key = 0;
        each(on_table(), [&](Card card) {
            key ^= keys_->link(card, symbol(below_[card], pile_of(card)));
        });
        each(up_ & ~gone_, [&](Card card) { key ^= keys_->up(card); });
        for (int suit = 0; suit < rules_.suits; ++suit)
            if (gone_ & suit_set(suit)) key ^= gone_key(suit);
        return key;
    }

  private:
    /// The base symbol of a pile: its own while the stock will be dealt to it, else a common one.
    int symbol(Card below, int p) const {
        if (below != base) return below;
        return stock_set_ && p < static_cast<int>(stock_.size()) ? 65 + p : 64;
    }
    Card king(int suit) const { return static_cast<Card>(16 * suit + rules_.ranks - 1); }
    Key gone_key(int suit) const { return keys_->link(63, suit); }

    void put(Card card, int p, bool face_up) {
        each(pile_[p], [&](Card c) { above_[c] |= bit(card); });
        const Card under = pile_[p] ? top_[p] : base;
        below_[card] = under;
        pile_[p] |= bit(card);
        top_[p] = card;
        tops_ ^= bit(card) ^ (under == base ? 0 : bit(under));
        if (under == base) bottoms_ |= bit(card);
        place_[card] = static_cast<std::uint8_t>(p);
        above_[card] = 0;
        key_ ^= keys_->link(card, symbol(under, p));
        if (!face_up) return;
        up_ |= bit(card);
        key_ ^= keys_->up(card);
        if (under != base && under == card + 1 && (up_ & bit(under))) joined_ |= bit(card);
    }

    void turn_up(int p) {
        if (pile_[p] && !(up_ & bit(top_[p]))) {
            up_ |= bit(top_[p]);
            key_ ^= keys_->up(top_[p]);
        }
    }

    void shift(Card card, int from, int to, Card onto) {
        const Set group = above_[card] | bit(card);
        pile_[from] ^= group;
        each(pile_[from], [&](Card c) { above_[c] &= ~group; });
        each(pile_[to], [&](Card c) { above_[c] |= group; });
        pile_[to] |= group;
        each(group, [&](Card c) { place_[c] = static_cast<std::uint8_t>(to); });
        const Card old_below = below_[card];
        top_[to] = top_[from];
        top_[from] = old_below == base ? no_card : old_below;
        if (old_below != base) tops_ |= bit(old_below);
        else bottoms_ ^= bit(card);
        if (onto != base) tops_ &= ~bit(onto);
        else bottoms_ ^= bit(card);
        below_[card] = onto;
    }

    void deal_out(Undo& undo) {
        each(bottoms_, [&](Card bottom) {  // the piles become alike
            key_ ^= keys_->link(bottom, symbol(base, place_[bottom])) ^ keys_->link(bottom, 64);
        });
        stock_set_ = 0;
        for (int p = 0; p < static_cast<int>(stock_.size()); ++p) put(stock_[p], p, true);
        for (int p = 0; p < static_cast<int>(stock_.size()); ++p) leave(p, undo);
    }

    /// Takes off finished runs from the top of a pile, and those that appear under them.
    void leave(int p, Undo& undo) {
        while (pile_[p] && rank_of(top_[p]) == 0) {
            const int suit = suit_of(top_[p]);
            const Set run = suit_set(suit);
            const Card k = king(suit);
            if ((joined_ & run) != (run & ~bit(k))) return;  // and if so, all of it is face up
            undo.run_suit[undo.runs] = static_cast<std::uint8_t>(suit);
            undo.run_pile[undo.runs++] = static_cast<std::uint8_t>(p);
            each(run, [&](Card card) {
                key_ ^= keys_->link(card, symbol(below_[card], p)) ^ keys_->up(card);
            });
            key_ ^= gone_key(suit);
            gone_ |= run;
            pile_[p] ^= run;
            each(pile_[p], [&](Card c) { above_[c] &= ~run; });
            top_[p] = below_[k] == base ? no_card : below_[k];
            tops_ &= ~bit(static_cast<Card>(16 * suit));
            if (pile_[p]) tops_ |= bit(top_[p]);
            else bottoms_ ^= bit(k);
            turn_up(p);
        }
    }

    void put_back(int suit, int p) {
        const Set run = suit_set(suit);
        gone_ &= ~run;
        each(pile_[p], [&](Card c) { above_[c] |= run; });
        if (pile_[p]) tops_ &= ~bit(top_[p]);
        else bottoms_ ^= bit(king(suit));
        pile_[p] |= run;
        top_[p] = static_cast<Card>(16 * suit);
        tops_ |= bit(top_[p]);
    }

    Rules rules_;
    const Keys* keys_;
    std::array<Set, 4> suit_sets_{};
    Set deck_ = 0, kings_ = 0, up_ = 0, joined_ = 0, gone_ = 0, stock_set_ = 0, tops_ = 0, bottoms_ = 0;
    Key key_ = 0;
    std::array<Set, 64> above_{};
    std::array<Card, 64> below_{};
    std::array<Set, max_piles> pile_{};
    std::array<Card, max_piles> top_{};
    std::array<std::uint8_t, 64> place_{};  // the pile a card is in
    std::vector<Card> stock_;
};

}  // namespace solstat::scorpion
