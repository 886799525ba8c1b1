// Cards inside the kernel.
//
// A card is 16 * suit + rank, so that a set of cards is one 64-bit word, the next higher card of
// a suit is `card + 1`, and shifting a set by one never carries a card into another suit (ranks
// use 13 of the 16 places).  Outside the kernel a card is 13 * suit + rank.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace solstat {

using Card = std::uint8_t;
using Set = std::uint64_t;

inline constexpr Card no_card = 0xFF;

constexpr Set bit(Card card) { return Set{1} << card; }
constexpr int rank_of(Card card) { return card & 15; }
constexpr int suit_of(Card card) { return card >> 4; }
constexpr Card from_outside(int card) {
    return static_cast<Card>(16 * (card / 13) + card % 13);
}
constexpr Card lowest(Set set) { return static_cast<Card>(std::countr_zero(set)); }

/// Calls `visit(card)` for every card of a set, lowest first.
template <class Visit>
constexpr void each(Set set, Visit visit) {
    for (; set; set &= set - 1) visit(lowest(set));
}

inline std::string card_text(Card card) {
    return {"A23456789TJQK"[rank_of(card)], "CSHD"[suit_of(card)]};
}

}  // namespace solstat
