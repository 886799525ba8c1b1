// Family `wave`: the piles that a search starts from, as lists of cards.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "opening.hpp"
#include "wave_rules.hpp"

namespace solstat::wave {

class Piles {
  public:
    /// Deals the cards row by row over the reserves, and plays what was played.
    Piles(const Rules& rules, Opening<Move> from) : rules_(rules) {
        height_.fill(0);
        int p = rules.columns;
        for (const Card card : from.deal) {
            cards_[p][height_[p]++] = card;
            if (++p == rules.piles()) p = rules.columns;
        }
        for (const Move move : from.played) play(move);
    }

    /// The cards of a pile, bottom first.
    std::span<const Card> operator[](int p) const { return {cards_[p].data(), height_[p]}; }

    /// All cards in columns.
    Set in_columns() const {
        Set cards = 0;
        for (int p = 0; p < rules_.columns; ++p)
            for (const Card card : (*this)[p]) cards |= bit(card);
        return cards;
    }

  private:
    /// Plays a legal move.
    void play(Move move) {
        for (int p = 0;; ++p) {
            const auto pile = (*this)[p];
            const auto first = std::find(pile.begin(), pile.end(), move.card);
            if (first == pile.end()) continue;
            std::copy(first, pile.end(), cards_[move.to].begin() + height_[move.to]);
            height_[move.to] = static_cast<std::uint8_t>(height_[move.to] + (pile.end() - first));
            height_[p] = static_cast<std::uint8_t>(first - pile.begin());
            return;
        }
    }

    Rules rules_;
    std::array<std::array<Card, 52>, max_piles> cards_;  // the first height_ of each
    std::array<std::uint8_t, max_piles> height_;
};

}  // namespace solstat::wave
