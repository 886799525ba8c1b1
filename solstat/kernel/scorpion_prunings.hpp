// The prunings of family `scorpion`.  docs/method.md proves them; each can be switched off.
//
// A card is *joined* when it lies on the next higher card of its suit, both face up.  J(x) moves x
// onto x+1, E(z) moves z to an empty pile, each with all that lies on it.
#pragma once

#include "scorpion.hpp"

namespace solstat::scorpion {

struct Prunings {
    bool joined_stay = true;  ///< B0: once the stock is dealt, a joined card is not moved to an empty pile
    bool dead_test = true;    ///< B1: a card that must move never can
    bool persistent = true;   ///< B2: joins that nothing else depends on are explored alone
    bool compound = true;     ///< B3: a move to the only empty pile goes with a join it makes possible
    bool futile = true;       ///< B4: a move to the only empty pile after which B1 holds is not made
};

/// R, the least set of unjoined cards that could ever leave where they lie while no pile empties.
///
/// `traced` also keeps, for every card of R, joins possible now that suffice to let it leave.
template <class Key, bool traced = false>
class Closure {
  public:
    /// Starts with nothing in R; the cards of `without` never enter it.
    Closure(const Board<Key>& board, Set without = 0)
        : board_(board), wanted_(board.unjoined() & ~without), bare_(board.stock() | board.tops()) {
        if constexpr (traced) each(bare_, [&](Card card) { bare_by_[card] = 0; });
    }

    Set leaves() const { return leaves_; }
    /// The bottom card of a pile is in R.
    bool empties() const { return empties_; }
    /// Whether a card that has to be joined before the game is won is not in R.
    bool stuck() const { return (wanted_ & ~board_.kings() & ~leaves_) != 0; }
    /// Joins possible now by which a pile could be emptied (if `empties`).
    Set empties_by() const { return empties_by_; }

    /// A card goes to an empty pile with all on it.
    void lift(Card card) {
        lifted_ = card;
        lifted_group_ = board_.above(card) | bit(card);
        wanted_ |= bit(card);  // even if it was joined
        bare_ |= bit(board_.below(card));
        empties_ = leaves_ & bit(card);
    }

    /// Grows R until nothing enters it any more, or until a pile empties.
    ///
    /// With `kings_free` every face-up king may leave and piles may empty (empty_pile=king).
    void grow(bool kings_free = false) {
        const Set open = board_.up() | board_.stock();
        const Set kings = board_.kings();
        while (kings_free || !empties_) {
            const Set left = wanted_ & ~leaves_;
            const Set movable = left & (open | bare_);
            const Set before = leaves_;
            each(movable & ~kings & (bare_ >> 1), [&](Card card) { enter(card); });
            if (leaves_ != before) continue;
            each(movable & kings, [&](Card king) {  // a king leaves with its run
                if (kings_free || !(left & board_.suit_set(suit_of(king)) & ~bit(king))) enter(king);
            });
            if (leaves_ == before) return;
        }
    }

  private:
    void enter(Card card) {
        const Card target = static_cast<Card>(card + 1);
        const bool king = board_.is_king(card);
        Set between = 0;  // if the target lies on the card: what of R lies between
        Set over = board_.above(card);
        if (!(lifted_group_ & bit(card))) over &= ~lifted_group_;
        if (!king && over & bit(target)) {
            between = over & ~board_.above(target) & leaves_;
            if (!between) return;
        }
        leaves_ |= bit(card);
        Set by = 0;
        if constexpr (traced) {
            if (king) by = ~Set{0};
            else {
                by = bare_by_[target];
                if (!(board_.up() & bit(card)) && !(board_.stock() & bit(card))) by |= bare_by_[card];
                if (between) by |= left_by_[lowest(between)];
                by |= bit(card);
            }
            left_by_[card] = by;
        }
        const Card under = card == lifted_ ? base : board_.below(card);
        if (under == base) {
            if (!empties_) empties_by_ = by;
            empties_ = true;
        } else if (under != no_card) {
            if constexpr (traced)
                if (!(bare_ & bit(under))) bare_by_[under] = by;
            bare_ |= bit(under);
        }
    }

    const Board<Key>& board_;
    Set wanted_, bare_, leaves_ = 0;
    Set empties_by_ = 0, lifted_group_ = 0;
    Card lifted_ = no_card;
    bool empties_ = false;
    std::array<Set, traced ? 64 : 0> bare_by_, left_by_;
};

/// B2: whether nothing that could be joined before `card` can disable that join, possible now, or be
/// disabled by it.  `movers` holds what could be joined before; the stock is dealt.
template <class Key>
bool independent(const Board<Key>& board, Card card, Set movers) {
    const Set bases = (board.above(card) | bit(card)) >> 1;  // cards that could land on the card's group
    Set under = board.pile(board.pile_of(static_cast<Card>(card + 1)));  // may come to lie under it
    for (;;) {
        if (under & movers & bases) return false;
        Set more = 0;
        each((under & movers) << 1 & ~under, [&](Card next) {
            more |= board.pile(board.pile_of(next)) & ~board.above(next);
        });
        if (!(more & ~under)) return true;
        under |= more;
    }
}

/// Cards that can be moved onto the next higher card of their suit.
template <class Key>
Set joins(const Board<Key>& board) {
    Set cards = board.tops() >> 1 & board.unjoined() & board.up() & ~board.stock() & ~board.kings();
    each(cards, [&](Card card) {
        if (board.above(card) & (bit(card) << 1)) cards ^= bit(card);
    });
    return cards;
}

/// B2: a persistent set of one or two of the joins that are possible now (then nothing else need be
/// tried), or nothing.  The stock is dealt; `now` has grown if no pile is empty.
template <class Key>
Set persistent(const Board<Key>& board, Set joins, const Closure<Key, true>& now, bool joined_stay) {
    // Without B0 a joined card may leave for an empty pile and be joined again.
    const Set movers = (joined_stay ? board.unjoined() : board.on_table()) & ~board.kings();
    Set needed = now.empties_by();  // without one of these no pile may ever empty
    Set found = 0;
    each(joins, [&](Card card) {
        if (found) return;
        Set others = movers & ~bit(card);
        if (needed & bit(card)) {
            Closure<Key, true> without(board, bit(card));
            without.grow();
            if (without.empties()) needed &= without.empties_by();
            else others = without.leaves() & ~board.kings();
        }
        if (independent(board, card, others)) found = bit(card);
    });
    if (found || board.empty_piles() > 0) return found;
    for (Set left = joins; left && !found; left &= left - 1) {
        const Card a = lowest(left);
        each(left & ~bit(a), [&](Card b) {
            const Set pair = bit(a) | bit(b);
            if (found || pair == joins) return;
            Closure<Key> without(board, pair);
            without.grow();
            const Set others = (without.empties() ? movers & ~pair : without.leaves()) & ~board.kings();
            if (independent(board, a, others) && independent(board, b, others)) found = pair;
        });
    }
    return found;
}

/// B3: whether E(card) makes a join possible.
template <class Key>
bool opens(const Board<Key>& board, Card card) {
    const Card under = board.below(card);
    const Set rest = board.pile(board.pile_of(card)) & ~board.above(card) & ~bit(card);
    const Set free = board.up() & board.unjoined() & ~board.kings();  // what could join
    const Card top = board.top(board.pile_of(card));
    if (free & rest & (bit(top) >> 1)) return true;    // from its old pile onto its top
    if (free & ~rest & (bit(under) >> 1)) return true;  // onto the card it uncovers
    return bit(under) & ~board.up() & ~board.kings() & (board.tops() >> 1);  // of the card it turns up
}

/// B4: whether B1 holds after E(card), to the only empty pile.  `now` has grown as if none were empty.
template <class Key>
bool futile(Card card, const Closure<Key>& now) {
    if (now.empties() || now.leaves() & bit(card)) return false;
    Closure<Key> after = now;
    after.lift(card);
    after.grow();
    return !after.empties() && after.stuck();
}

}  // namespace solstat::scorpion
