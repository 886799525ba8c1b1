// Family `wave`, wave-motion: from the order in which cards are taken to a line of real moves.
//
// A set of cards taken needs as many columns as it has maximal runs in suit, and no more: every column
// is one sequence, and a column that begins with the next lower card may go onto the end of another.
// That is done only when an empty column is wanted and there is none.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "opening.hpp"
#include "wave_piles.hpp"
#include "wave_rules.hpp"

namespace solstat::wave {

class LineWriter {
  public:
    explicit LineWriter(const Rules& rules) : rules_(rules) {}

    /// Spells out an order of takes: cards that are moved off reserves, each with all on it.
    const std::vector<Move>& operator()(Opening<Move> from, std::span<const Card> takes) {
        line_.clear();
        taken_ = heads_ = 0;
        empty_ = (Set{1} << rules_.columns) - 1;
        find_runs(from.deal);
        if (!from.played.empty()) take_up_columns(Piles(rules_, from));
        for (const Card card : takes) {
            const Set moved = run_[card] & ~taken_;
            const Card end = lowest(moved);
            if (taken_ & bit(card) << 1) {
                put(card, end, column_[card + 1]);
            } else {
                if (!empty_) join();
                const int column = std::countr_zero(empty_);
                empty_ ^= Set{1} << column;
                heads_ |= bit(card);
                column_[card] = static_cast<std::uint8_t>(column);
                put(card, end, column_[card]);
            }
            taken_ |= moved;
        }
        return line_;
    }

  private:
    /// Columns that cards are in already.
    void take_up_columns(const Piles& piles) {
        for (int p = 0; p < rules_.columns; ++p) {
            const auto cards = piles[p];
            if (cards.empty()) continue;
            for (const Card card : cards) taken_ |= bit(card);
            heads_ |= bit(cards.front());
            empty_ ^= Set{1} << p;
            end_[p] = cards.back();
            column_[cards.front()] = column_[cards.back()] = static_cast<std::uint8_t>(p);
        }
    }

    /// For each card the cards that lie on it in its reserve in sequence and may move with it.
    void find_runs(std::span<const Card> deal) {
        const auto row = static_cast<std::size_t>(rules_.reserves);
        for (std::size_t i = deal.size(); i-- > 0;) {
            run_[deal[i]] = bit(deal[i]);
            if (rules_.runs && i + row < deal.size() && deal[i + row] + 1 == deal[i])
                run_[deal[i]] |= run_[deal[i + row]];
        }
    }

    /// Moves a sequence, from a card to its end, to a column.
    void put(Card card, Card end, std::uint8_t column) {
        line_.push_back({card, column});
        column_[end] = column;
        end_[column] = end;
    }

    /// Empties a column onto the end of another.
    void join() {
        // If a column begins with a card, the next higher one can only be the end of its own.
        const Set joinable = heads_ & taken_ >> 1;
        if (!joinable) throw std::logic_error("cards are taken that no column is left for");
        const Card head = lowest(joinable);
        const std::uint8_t column = column_[head];
        put(head, end_[column], column_[head + 1]);
        heads_ ^= bit(head);
        empty_ |= Set{1} << column;
    }

    Rules rules_;
    Set taken_ = 0;
    Set heads_ = 0;                           ///< cards that columns begin with
    Set empty_ = 0;                           ///< columns, as bits
    std::array<Set, 64> run_{};
    std::array<std::uint8_t, 64> column_{};   ///< of cards that columns begin or end with
    std::array<Card, max_piles> end_{};       ///< of a column
    std::vector<Move> line_;
};

}  // namespace solstat::wave
