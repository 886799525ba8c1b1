// Family `wave`: the referee of winning lines.
//
// The table as plain piles, sharing nothing with the searches but what rules and moves are called.
// Every win of a survey of millions is replayed here, so piles are fixed arrays, and where a card
// lies is looked up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "opening.hpp"
#include "wave_rules.hpp"

namespace solstat::wave {

class Referee {
  public:
    /// Deals the cards row by row over the reserves.
    Referee(const Rules& rules, std::span<const Card> deal)
        : rules_(rules), left_(static_cast<int>(deal.size())) {
        height_.fill(0);
        pile_of_.fill(nowhere);
        int p = rules.columns;
        for (const Card card : deal) {
            lay(card, p);
            if (++p == rules.columns + rules.reserves) p = rules.columns;
        }
    }

    /// All cards are in columns.
    bool won() const { return left_ == 0; }

    /// Whether the rules allow a move.
    bool allows(Move move) const { return cards_moved(move) > 0; }

    /// Plays a move if the rules allow it; false, and nothing changed, if they do not.
    bool play(Move move) {
        const int n = cards_moved(move);
        if (n == 0) return false;
        const int from = pile_of_[move.card];
        height_[from] = static_cast<std::uint8_t>(height_[from] - n);
        for (int i = 0; i < n; ++i) lay(piles_[from][height_[from] + i], move.to);
        left_ += n * (is_reserve(move.to) - is_reserve(from));
        return true;
    }

  private:
    static constexpr std::uint8_t nowhere = 0xFF;

    /// How many cards a move takes from one pile to another; 0 if the rules do not allow it.
    int cards_moved(Move move) const {
        if (move.card >= pile_of_.size() || move.to >= rules_.columns + rules_.reserves) return 0;
        const int from = pile_of_[move.card];
        if (from == nowhere || from == move.to) return 0;
        const int n = sequence_from(move.card, from);
        if (n == 0 || (n > 1 && is_reserve(from) && !rules_.runs)) return 0;
        if (is_reserve(move.to) && !rules_.build) return 0;
        if (height_[move.to] > 0) return is_next_lower(move.card, top(move.to)) ? n : 0;
        if (is_reserve(move.to) && !(rules_.fill_empty && n == 1)) return 0;
        return n;
    }

    /// The number of cards from one up to the top of its pile, if they are a sequence in suit; or 0.
    int sequence_from(Card card, int p) const {
        int n = 1;
        for (int at = height_[p] - 1; piles_[p][at] != card; --at, ++n)
            if (!is_next_lower(piles_[p][at], piles_[p][at - 1])) return 0;
        return n;
    }

    static bool is_next_lower(Card low, Card high) {
        return suit_of(low) == suit_of(high) && rank_of(low) + 1 == rank_of(high);
    }

    bool is_reserve(int p) const { return p >= rules_.columns; }
    Card top(int p) const { return piles_[p][height_[p] - 1]; }

    void lay(Card card, int p) {
        piles_[p][height_[p]++] = card;
        pile_of_[card] = static_cast<std::uint8_t>(p);
    }

    Rules rules_;
    int left_;  ///< cards in reserves
    std::array<std::array<Card, 52>, max_piles> piles_;  ///< bottom first
    std::array<std::uint8_t, max_piles> height_;
    std::array<std::uint8_t, 64> pile_of_;
};

/// Whether a line wins.
inline bool replays(const Rules& rules, Opening<Move> from, std::span<const Move> line) {
    Referee referee(rules, from.deal);
    const auto plays = [&](Move move) { return referee.play(move); };
    return std::all_of(from.played.begin(), from.played.end(), plays) &&
           std::all_of(line.begin(), line.end(), plays) && referee.won();
}

}  // namespace solstat::wave
