// Family `wave`, flow: winning lines in real moves.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "cards.hpp"
#include "wave_piles.hpp"
#include "wave_rules.hpp"

namespace solstat::wave {

/// A table on which a line is played and written down at the same time.
class FlowTable {
  public:
    explicit FlowTable(const Rules& rules) : rules_(rules) {}

    void start(const Piles& piles) {
        line_.clear();
        top_.fill(no_card);
        heads_ = tops_ = 0;
        for (int p = 0; p < rules_.piles(); ++p) {
            for (const Card card : piles[p]) {
                below_[card] = top_[p];
                pile_[card] = static_cast<std::uint8_t>(p);
                top_[p] = card;
            }
            if (top_[p] == no_card) continue;
            tops_ |= bit(top_[p]);
            if (rules_.is_column(p)) heads_ |= bit(piles[p].front());
        }
    }

    const std::vector<Move>& line() const { return line_; }

    bool next_is_top(Card card) const { return tops_ >> card >> 1 & 1; }
    void to_next(Card card) { move(card, pile_[card + 1]); }
    void to_column(Card card) { move(card, empty(0, rules_.columns)); }

    /// Moves a card, and with it a sequence that no empty reserve would take as a whole.
    void to_reserve(Card card) {
        const Card end = top_[pile_[card]];
        if (end == card) {
            move(card, empty(rules_.columns, rules_.piles()));
        } else if (empty_column()) {
            const auto next = static_cast<Card>(card - 1);
            to_column(next);
            to_reserve(card);
            to_next(next);
        } else {
            to_reserve(end);
            for (Card head = end; head != card; ++head) {
                move(static_cast<Card>(head + 1), empty(rules_.columns, rules_.piles()));
                to_next(head);
            }
        }
    }

    /// Plays a win of FlowSets: columns are joined only when an empty one is wanted and there is none.
    const std::vector<Move>& play(Opening<Move> from, std::span<const Card> takes) {
        start(Piles(rules_, from));
        for (const Card card : takes) take(card);
        for (int p = rules_.columns; p < rules_.piles(); ++p) {
            if (top_[p] == no_card) continue;
            Card card = top_[p];
            while (below_[card] != no_card) card = below_[card];
            take(card);
        }
        return line_;
    }

  private:
    void take(Card card) {
        if (next_is_top(card)) return to_next(card);
        if (!empty_column()) {
            const Set joinable = heads_ & tops_ >> 1;
            if (!joinable) throw std::logic_error("cards are taken that no column is left for");
            to_next(lowest(joinable));
        }
        to_column(card);
    }

    void move(Card card, int to) {
        const int from = pile_[card];
        const Card end = top_[from], old = below_[card];
        for (Card moved = end; moved <= card; ++moved) pile_[moved] = static_cast<std::uint8_t>(to);
        heads_ &= ~bit(card);
        if (top_[to] != no_card) tops_ &= ~bit(top_[to]);
        else if (rules_.is_column(to)) heads_ |= bit(card);
        if (old != no_card) tops_ |= bit(old);
        top_[from] = old;
        below_[card] = top_[to];
        top_[to] = end;
        line_.push_back({card, static_cast<std::uint8_t>(to)});
    }

    bool empty_column() const {
        const auto end = top_.begin() + rules_.columns;
        return std::find(top_.begin(), end, no_card) != end;
    }

    int empty(int first, int last) const {
        for (int p = first; p < last; ++p)
            if (top_[p] == no_card) return p;
        throw std::logic_error("a line wants an empty pile where there is none");
    }

    Rules rules_;
    Set heads_ = 0;  ///< cards that columns begin with
    Set tops_ = 0;
    std::array<Card, max_piles> top_{};
    std::array<Card, 64> below_{};          ///< no_card at the bottom of a pile
    std::array<std::uint8_t, 64> pile_{};
    std::vector<Move> line_;
};

}  // namespace solstat::wave
