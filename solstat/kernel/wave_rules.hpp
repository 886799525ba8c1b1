// Family `wave` (wave-motion, flow): the rules and the moves, which all its searches share.
//
// docs/rules.md is the definition.  Piles are numbered columns first, then reserves.
#pragma once

#include <cstdint>
#include <string>

#include "cards.hpp"

namespace solstat::wave {

inline constexpr int max_piles = 64;  ///< columns and reserves together

struct Rules {
    int ranks = 13, suits = 4, reserves = 8, columns = 8;
    bool runs = false;       ///< reserve_moves=run: sequences on top of reserves move together
    bool build = false;      ///< reserve_build: reserves take cards too
    bool fill_empty = true;  ///< empty_reserve=single: with `build`, an empty reserve takes a single card

    int deck() const { return ranks * suits; }
    int piles() const { return columns + reserves; }
    bool is_column(int pile) const { return pile < columns; }
};

/// A card, with all that lies on it, to a pile.
struct Move {
    Card card;
    std::uint8_t to;
    bool operator==(const Move&) const = default;
};

/// A move in the notation of games/, which counts columns and reserves apart.
inline std::string move_text(const Rules& rules, Move move) {
    const bool column = rules.is_column(move.to);
    return card_text(move.card) + (column ? ">c" : ">r") + std::to_string(move.to + 1 - (column ? 0 : rules.columns));
}

}  // namespace solstat::wave
