// Family `wave` (wave-motion, flow): positions, moves, keys.
//
// docs/rules.md is the definition.  A position is links `below[card]` and the top of each pile;
// moving a sequence changes one link, whatever its length.  Columns are alike, and so are reserves.
// Positions are copied, not taken back.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "cards.hpp"
#include "keys.hpp"
#include "opening.hpp"
#include "table.hpp"
#include "wave_rules.hpp"

namespace solstat::wave {

/// What a card lies on if it lies on no other: the bottom of a column or of a reserve.
inline constexpr int column_base = 64, reserve_base = 65;

/// All that changes in a game.
template <class Key>
struct Position {
    Key key = 0;
    Set joined = 0;    ///< on the next higher card of their suit
    Set reserved = 0;  ///< tops of reserves
    std::array<Card, max_piles> top;
    std::array<Card, 64> below;
    bool operator==(const Position&) const = default;
};

template <class Key>
class Board {
  public:
    using Keys = LinkKeys<Key, 2>;
    using At = Position<Key>;

    Board(const Rules& rules, const Keys& keys) : rules_(rules), keys_(&keys) {}

    const Rules& rules() const { return rules_; }
    const Keys& keys() const { return *keys_; }

    /// All cards are in columns.
    static bool won(const At& at) { return at.reserved == 0; }

    /// Deals the cards row by row over the reserves, and plays what was played.
    At start(Opening<Move> from) const {
        At at;
        at.top.fill(no_card);
        at.below.fill(no_card);
        int p = rules_.columns;
        for (const Card card : from.deal) {
            link(at, card, symbol_or_top(at, p));
            at.top[p] = card;
            if (++p == rules_.piles()) p = rules_.columns;
        }
        for (p = rules_.columns; p < rules_.piles(); ++p)
            if (at.top[p] != no_card) at.reserved |= bit(at.top[p]);
        for (const Move move : from.played) play(at, move);
        return at;
    }

    /// What the next card of a pile would lie on: its top or, if it is empty, what stands for its bottom.
    int symbol_or_top(const At& at, int p) const {
        if (at.top[p] != no_card) return at.top[p];
        return rules_.is_column(p) ? column_base : reserve_base;
    }

    /// The pile that a card is in which may be moved, if all on it is joined.
    int pile_of(const At& at, Card card) const {
        while (rank_of(card) > 0 && at.joined & bit(card - 1)) --card;
        for (int p = 0; p < rules_.piles(); ++p)
            if (at.top[p] == card) return p;
        return -1;
    }

    /// Whether a pile takes a card; a `single` one has nothing on it.
    bool takes(const At& at, int p, Card card, bool single) const {
        if (rules_.is_column(p)) return at.top[p] == no_card || at.top[p] == card + 1;
        if (!rules_.build) return false;
        return at.top[p] == no_card ? rules_.fill_empty && single : at.top[p] == card + 1;
    }

    /// Every legal move; each empty pile counts on its own.
    void all_moves(const At& at, std::vector<Move>& moves) const {
        each_source(at, [&](int from, Card card, bool single) {
            for (int p = 0; p < rules_.piles(); ++p)
                if (p != from && takes(at, p, card, single)) moves.push_back({card, static_cast<std::uint8_t>(p)});
        });
    }

    /// The legal moves but for those that lead to the same position up to piles that are alike.
    void distinct_moves(const At& at, std::vector<Move>& moves) const {
        const int empty_column = first_empty(at, 0, rules_.columns);
        const int empty_reserve = first_empty(at, rules_.columns, rules_.piles());
        each_source(at, [&](int from, Card card, bool single) {
            const int bottom = at.below[card];
            for (int p = 0; p < rules_.piles(); ++p) {
                if (p == from || !takes(at, p, card, single)) continue;
                if (at.top[p] == no_card) {
                    if (p != empty_column && p != empty_reserve) continue;
                    if (bottom == (p == empty_column ? column_base : reserve_base)) continue;
                }
                moves.push_back({card, static_cast<std::uint8_t>(p)});
            }
        });
    }

    /// Plays a legal move.
    void play(At& at, Move move) const {
        const int from = pile_of(at, move.card);
        const Card old = at.below[move.card], end = at.top[from];
        at.key ^= keys_->link(move.card, old);
        at.joined &= ~bit(move.card);
        set_top(at, from, old < column_base ? old : no_card);
        link(at, move.card, symbol_or_top(at, move.to));
        set_top(at, move.to, end);
    }

    /// The key of the position that a legal move leads to.
    Key key_after(const At& at, Move move) const {
        return at.key ^ keys_->link(move.card, at.below[move.card]) ^
               keys_->link(move.card, symbol_or_top(at, move.to));
    }

    /// The key computed from nothing, for tests.
    Key recomputed_key(const At& at) const {
        Key key = 0;
        for (int p = 0; p < rules_.piles(); ++p)
            for (int card = at.top[p]; card != no_card && card < column_base; card = at.below[card])
                key ^= keys_->link(card, at.below[card]);
        return key;
    }

  private:
    /// Calls `visit(pile, card, single)` for every card that may leave its pile, from the tops down.
    template <class Visit>
    void each_source(const At& at, Visit visit) const {
        for (int p = 0; p < rules_.piles(); ++p) {
            Card card = at.top[p];
            if (card == no_card) continue;
            visit(p, card, true);
            if (!rules_.is_column(p) && !rules_.runs) continue;
            while (at.joined & bit(card)) visit(p, ++card, false);
        }
    }

    int first_empty(const At& at, int first, int last) const {
        for (int p = first; p < last; ++p)
            if (at.top[p] == no_card) return p;
        return -1;
    }

    /// A card, with all on it, comes to lie on another or at the bottom of a pile.
    void link(At& at, Card card, int onto) const {
        at.below[card] = static_cast<Card>(onto);
        at.key ^= keys_->link(card, onto);
        if (onto == card + 1) at.joined |= bit(card);
    }

    void set_top(At& at, int p, Card card) const {
        if (!rules_.is_column(p)) {
            if (at.top[p] != no_card) at.reserved &= ~bit(at.top[p]);
            if (card != no_card) at.reserved |= bit(card);
        }
        at.top[p] = card;
    }

    Rules rules_;
    const Keys* keys_;
};

}  // namespace solstat::wave
