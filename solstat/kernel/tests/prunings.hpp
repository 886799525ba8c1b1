// The tests of a pruning, word for word as docs/method.md says them, slowly: twins of the fast ones.
#pragma once

#include <vector>

#include "../scorpion_prunings.hpp"

namespace solstat::test {

using scorpion::Board;

/// Sets as one flag a card.
using Cards = std::vector<bool>;

inline Cards cards_of(Set set) {
    Cards cards(64);
    each(set, [&](Card card) { cards[card] = true; });
    return cards;
}

inline Set set_of(const Cards& cards) {
    Set set = 0;
    for (Card card = 0; card < 64; ++card)
        if (cards[card]) set |= bit(card);
    return set;
}

/// The card that lies directly on a card, or no_card.
template <class Key>
Card on(const Board<Key>& board, Card card) {
    for (Card other = 0; other < 64; ++other)
        if (board.on_table() & bit(other) && board.below(other) == card) return other;
    return no_card;
}

/// Whether one card lies somewhere over another in its pile.
template <class Key>
bool lies_over(const Board<Key>& board, Card high, Card low) {
    if (!(board.on_table() & bit(high)) || !(board.on_table() & bit(low))) return false;
    for (Card card = board.below(high); card != scorpion::base; card = board.below(card))
        if (card == low) return true;
    return false;
}

/// R of B1, by its four conditions.
template <class Key>
Set closure_by_definition(const Board<Key>& board, Set without) {
    const Set wanted = board.unjoined() & ~without;
    Cards in(64);
    for (bool grown = true; grown;) {
        grown = false;
        for (Card x = 0; x < 64; ++x) {
            if (!(wanted & bit(x)) || in[x]) continue;
            const Card cover = on(board, x);
            const bool stock = board.stock() & bit(x);
            if (!(board.up() & bit(x)) && !stock && cover != no_card && !in[cover]) continue;  // 1
            if (!board.is_king(x)) {
                const Card next = static_cast<Card>(x + 1), lid = on(board, next);
                if (lid != no_card && !in[lid]) continue;  // 2
                if (lies_over(board, next, x)) {           // 3
                    bool some = false;
                    for (Card card = next; card != x; card = board.below(card)) some |= in[card];
                    if (!some) continue;
                }
            } else {  // 4
                bool all = true;
                for (Card card = 0; card < 64; ++card)
                    if (wanted & bit(card) && suit_of(card) == suit_of(x) && card != x) all &= in[card];
                if (!all) continue;
            }
            in[x] = grown = true;
        }
    }
    return set_of(in);
}

/// The condition of B2, by the two growing sets of its proof.
template <class Key>
bool independent_by_definition(const Board<Key>& board, Card c, Set movers) {
    const auto group = [&](Card z) {
        Set cards = bit(z);
        for (Card card = 0; card < 64; ++card)
            if (lies_over(board, card, z)) cards |= bit(card);
        return cards;
    };
    const auto down_from = [&](Card z) {
        Set cards = 0;
        for (Card card = z; card != scorpion::base; card = board.below(card)) cards |= bit(card);
        return cards;
    };
    Cards over = cards_of(group(c)), under = cards_of(down_from(static_cast<Card>(c + 1)));
    for (bool grown = true; grown;) {
        const Set before_over = set_of(over), before_under = set_of(under);
        for (Card z = 0; z < 64; ++z) {
            if (!(movers & bit(z))) continue;
            if (over[z + 1]) over = cards_of(set_of(over) | group(z));
            if (under[z]) under = cards_of(set_of(under) | down_from(static_cast<Card>(z + 1)));
        }
        grown = before_over != set_of(over) || before_under != set_of(under);
    }
    for (Card y = 0; y < 63; ++y)
        if (movers & bit(y) && under[y] && over[y + 1]) return false;
    return true;
}

}  // namespace solstat::test
