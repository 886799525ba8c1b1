// Family `wave`, wave-motion: the plain search over sets of cards taken, the second opinion.
//
// Forwards from the deal, depth first, with a set of the sets it has met and nothing else: no card is
// preferred to another, nothing is left out.  It shares the model with wave_sets.hpp, and no code.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "opening.hpp"
#include "outcome.hpp"
#include "table.hpp"
#include "wave_piles.hpp"
#include "wave_rules.hpp"

namespace solstat::wave {

class LatticeSearch {
  public:
    /// With `backwards` reserves are tried in the opposite order: another way through the same sets.
    explicit LatticeSearch(const Rules& rules, bool backwards = false) : rules_(rules), backwards_(backwards) {}

    /// Decides one deal.  The order in which a win takes cards is in `takes()`.
    Outcome run(Opening<Move> from, std::int64_t budget, const Cancelled& cancelled) {
        start(from);
        table_.clear();
        table_.insert(key(), Seen::full);
        frames_.assign(1, {});
        takes_.clear();
        positions_ = 1;
        std::int64_t next_poll = poll_every;
        while (taken_ != deck_) {
            Frame& frame = frames_.back();
            if (!advance(frame)) {
                frames_.pop_back();
                if (frames_.empty()) return Outcome::lost;
                take_back(frames_.back());
                continue;
            }
            take(frame);
            if (table_.insert(key(), Seen::full) != Seen::no) {
                take_back(frame);
                continue;
            }
            if (positions_ == budget) return Outcome::unsettled;
            if (++positions_ >= next_poll) {
                next_poll += poll_every;
                if (cancelled && cancelled()) throw CancelledError{};
            }
            frames_.push_back({});
        }
        frames_.pop_back();
        for (const Frame& frame : frames_) takes_.push_back(frame.head);
        return Outcome::won;
    }

    std::int64_t positions() const { return positions_; }

    /// The cards that are moved off reserves, in this order, each with all on it.
    const std::vector<Card>& takes() const { return takes_; }

  private:
    static constexpr std::int64_t poll_every = 1 << 14;

    /// A set on the way, and the move that is being tried from it.
    struct Frame {
        int place = -1;  ///< the reserve is the place-th that is tried
        int cards = 0;   ///< how many cards move together
        Card head = no_card;
    };

    void start(Opening<Move> from) {
        const auto deal = from.deal;
        reserves_.assign(static_cast<std::size_t>(rules_.reserves), {});
        left_.assign(reserves_.size(), 0);
        weights_.assign(reserves_.size(), 0);
        deck_ = 0;
        taken_ = Piles(rules_, from).in_columns();
        for (std::size_t i = 0; i < deal.size(); ++i) {
            reserves_[i % reserves_.size()].push_back(deal[i]);
            deck_ |= bit(deal[i]);
        }
        code_ = 0;
        std::uint64_t weight = 1;
        for (std::size_t r = 0; r < reserves_.size(); ++r) {
            left_[r] = reserves_[r].size();
            weights_[r] = weight;
            weight *= left_[r] + 1;  // at most 2^52 together
            for (; left_[r] > 0 && taken_ & bit(reserves_[r][left_[r] - 1]); --left_[r]) code_ += weights_[r];
        }
    }

    /// The counts of cards taken as one number, spread over the word: no two sets have the same key.
    Key64 key() const {
        const std::uint64_t mixed = (code_ + 1) * 0x9E3779B97F4A7C15u & ~std::uint64_t{0} >> 1;
        return (mixed ^ mixed >> 32) << 1;
    }

    std::size_t reserve_of(const Frame& frame) const {
        return static_cast<std::size_t>(backwards_ ? rules_.reserves - 1 - frame.place : frame.place);
    }

    /// The next legal move of a set; false if there is none.
    bool advance(Frame& frame) const {
        if (frame.place >= 0 && longer(frame)) return true;
        while (++frame.place < rules_.reserves) {
            frame.cards = 0;
            if (longer(frame)) return true;
        }
        return false;
    }

    /// A legal move of more cards from the same reserve.
    bool longer(Frame& frame) const {
        const auto& reserve = reserves_[reserve_of(frame)];
        const std::size_t left = left_[reserve_of(frame)];
        const int most = rules_.runs ? static_cast<int>(left) : std::min(1, static_cast<int>(left));
        while (frame.cards < most) {
            const Card head = reserve[left - static_cast<std::size_t>(++frame.cards)];
            if (frame.cards > 1 && head != frame.head + 1) break;
            frame.head = head;
            const bool base = taken_ >> (head + 1) & 1;
            if (base || std::popcount(taken_ & ~(taken_ >> 1)) < rules_.columns) return true;
        }
        frame.cards = most;
        return false;
    }

    /// The cards that a move takes.
    static Set moved(const Frame& frame) { return ((Set{1} << frame.cards) - 1) << (frame.head + 1 - frame.cards); }

    void take(const Frame& frame) {
        const auto r = reserve_of(frame);
        left_[r] -= static_cast<std::size_t>(frame.cards);
        code_ += weights_[r] * static_cast<std::uint64_t>(frame.cards);
        taken_ |= moved(frame);
    }

    void take_back(const Frame& frame) {
        const auto r = reserve_of(frame);
        left_[r] += static_cast<std::size_t>(frame.cards);
        code_ -= weights_[r] * static_cast<std::uint64_t>(frame.cards);
        taken_ &= ~moved(frame);
    }

    Rules rules_;
    bool backwards_;
    Table<Key64> table_;
    std::vector<std::vector<Card>> reserves_;  ///< as dealt, the card dealt last on top
    std::vector<std::size_t> left_;            ///< cards that a reserve still holds
    std::vector<std::uint64_t> weights_;
    std::uint64_t code_ = 0;
    Set deck_ = 0, taken_ = 0;
    std::vector<Frame> frames_;
    std::vector<Card> takes_;
    std::int64_t positions_ = 0;
};

}  // namespace solstat::wave
