// Where a search starts: a deal, and what was played from there.
#pragma once

#include <concepts>
#include <span>

#include "cards.hpp"

namespace solstat {

/// A deal and the moves that were played already, all legal; a deal alone is one too.
template <class Move>
struct Opening {
    std::span<const Card> deal;
    std::span<const Move> played;

    template <std::convertible_to<std::span<const Card>> Deal>
    Opening(const Deal& cards, std::span<const Move> moves = {}) : deal(cards), played(moves) {}
};

}  // namespace solstat
