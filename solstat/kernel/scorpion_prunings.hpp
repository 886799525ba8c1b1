// The prunings of family `scorpion`.  docs/method.md proves them; each can be switched off.
//
// A card is *joined* when it lies on the next higher card of its suit, both face up.  J(x) moves x
// onto x+1, E(z) moves z to an empty pile, each with all that lies on it.
#pragma once

#include "scorpion.hpp"

namespace solstat::scorpion {

struct Prunings {
    bool dead_test = true;   ///< B1
    bool singletons = true;  ///< B2
    bool compound = true;    ///< B3
};

/// What could ever leave, as long as no pile empties (or, for kings only, whatever empties).
struct Closure {
    Set leaves = 0;         ///< unjoined cards that could be moved
    bool empties = false;   ///< the bottom card of a pile is among them
};

/// The least set R of unjoined cards that could ever leave where they lie (B1).
template <class Key>
Closure closure(const Board<Key>& board, Set without, bool kings_free, bool stop_when_empties) {
    const Set wanted = board.deck() & ~board.gone() & ~board.joined() & ~without;
    const Rules& rules = board.rules();
    Set kings = 0;
    for (int suit = 0; suit < rules.suits; ++suit) kings |= bit(static_cast<Card>(16 * suit + rules.ranks - 1));
    Set bare = board.stock();  // nothing on them that stays
    for (int p = 0; p < rules.piles; ++p)
        if (board.pile(p)) bare |= bit(board.top(p));
    const Set open = board.up() | board.stock();
    Closure result;
    for (;;) {
        const Set left = wanted & ~result.leaves;
        const Set movable = left & (open | bare);
        Set next = movable & ~kings & (bare >> 1);
        if (kings_free) next |= movable & kings;
        else
            each(movable & kings, [&](Card k) {
                if (!(left & board.suit_set(suit_of(k)) & ~bit(k))) next |= bit(k);
            });
        Set added = 0;
        each(next, [&](Card x) {
            const Set over = board.above(x);
            if (!(kings & bit(x)) && (over >> (x + 1)) & 1 &&
                !(over & ~board.above(static_cast<Card>(x + 1)) & result.leaves))
                return;  // x + 1 lies on x, and nothing between them ever moves
            added |= bit(x);
            const Card under = board.below(x);
            if (under == base) result.empties = true;
            else if (under != no_card) bare |= bit(under);
        });
        if (!added) return result;
        result.leaves |= added;
        if (result.empties && stop_when_empties) return result;
    }
}

/// A join that may be explored alone, or no_card (B2).  The stock is dealt.
///
/// `movers` are the cards that could join before `card` does, `card` left out.
template <class Key>
bool independent(const Board<Key>& board, Card card, int to, Set movers) {
    const Card target = static_cast<Card>(card + 1);
    Set over = board.above(card) | bit(card);               // may come to lie on or in card's group
    Set under = board.pile(to) & ~board.above(target);      // target and what may come to lie below it
    for (Set grown = 0; grown != (over | under);) {
        if ((under & movers) & (over >> 1)) return false;
        grown = over | under;
        each((over >> 1) & movers & ~over, [&](Card z) { over |= board.above(z) | bit(z); });
        each(under & movers, [&](Card z) {
            const Card w = static_cast<Card>(z + 1);
            if (!(under & bit(w))) under |= board.pile(board.pile_of(w)) & ~board.above(w);
        });
    }
    return true;
}

}  // namespace solstat::scorpion
