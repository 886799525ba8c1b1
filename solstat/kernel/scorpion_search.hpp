// Depth-first search for family `scorpion`: one stage, complete, so it may say won and lost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "outcome.hpp"
#include "scorpion.hpp"
#include "scorpion_prunings.hpp"
#include "table.hpp"

namespace solstat::scorpion {

template <class Key>
class Search {
  public:
    using Keys = typename Board<Key>::Keys;

    /// With `backwards` moves are tried in the opposite order: another way through the same positions.
    Search(const Rules& rules, Prunings prunings, const Keys& keys, bool backwards)
        : board_(rules, keys), prunings_(prunings), backwards_(backwards) {}

    /// Searches one deal; the line of a win, from where the search starts, is in `line()`.
    Outcome run(Opening<Move> from, std::int64_t budget, const Cancelled& cancelled) {
        board_.start(from);
        table_.clear();
        steps_.clear();
        frames_.clear();
        line_.clear();
        positions_ = 1;
        budget_ = budget;
        next_poll_ = poll_every;
        table_.insert(board_.key(), Seen::full);
        return board_.won() ? Outcome::won : descend(cancelled);
    }

    std::int64_t positions() const { return positions_; }
    std::size_t table_bytes() const { return table_.bytes(); }
    const std::vector<Move>& line() const { return line_; }

  private:
    static constexpr std::int64_t poll_every = 1 << 14;

    /// A move to try.  `half` marks the first half of a compound move.
    struct Step {
        Move move;
        bool half, known;
        Key key;  ///< of the position it leads to, if known
    };

    struct Frame {
        typename Board<Key>::Undo undo;
        std::size_t first, next, last;  ///< its moves in steps_
        Set joins;                      ///< cards that can be joined here
    };

    Outcome descend(const Cancelled& cancelled) {
        frames_.emplace_back();
        expand(frames_.back());
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            if (frame.next == frame.last) {
                steps_.resize(frame.first);
                if (frames_.size() > 1) board_.take_back(frame.undo);
                frames_.pop_back();
                continue;
            }
            const Step step = steps_[frame.next++];
            if (step.known && table_.done(step.key)) continue;
            const Set joins = frame.joins;
            Frame& child = frames_.emplace_back();
            board_.play(step.move, child.undo);
            const Seen seen = table_.insert(board_.key(), step.half ? Seen::half : Seen::full);
            if (seen == Seen::no) {
                if (positions_ == budget_) return Outcome::unsettled;
                if (++positions_ >= next_poll_) {
                    next_poll_ += poll_every;
                    if (cancelled && cancelled()) throw CancelledError{};
                }
                if (board_.won()) {
                    for (std::size_t i = 1; i < frames_.size(); ++i) line_.push_back(frames_[i].undo.move);
                    return Outcome::won;
                }
            }
            if (seen == Seen::full) {
                board_.take_back(child.undo);
                frames_.pop_back();
            } else if (step.half) {
                expand_half(child, joins);
            } else {
                expand(child);
            }
        }
        return Outcome::lost;
    }

    void add(Move move, bool half = false) {
        Step step{move, half, false, 0};
        if (const auto key = move.card == deal_stock ? std::nullopt : board_.key_after(move)) {
            step.known = true;
            step.key = *key;
            table_.prefetch(*key);
        }
        steps_.push_back(step);
    }

    void add_joins(Set cards) {
        each(cards, [&](Card card) {
            add({card, static_cast<std::uint8_t>(board_.pile_of(static_cast<Card>(card + 1)))});
        });
    }

    void expand(Frame& frame) {
        frame.first = frame.next = steps_.size();
        frame.joins = joins(board_);
        add_joins(frame.joins);
        const int empty = board_.empty_piles();
        const bool few = prunings_.persistent && !board_.stock_left();
        Closure<Key, true> now(board_);
        if (empty == 0 && (prunings_.dead_test || few)) now.grow();
        if (dead(now, empty)) {
            steps_.resize(frame.first);
        } else if (const Set enough = few ? persistent(board_, frame.joins, now, prunings_.joined_stay) : 0) {
            const auto extra = std::remove_if(steps_.begin() + static_cast<std::ptrdiff_t>(frame.first), steps_.end(),
                                              [&](const Step& step) { return !(enough & bit(step.move.card)); });
            steps_.erase(extra, steps_.end());
        } else {
            if (empty > 0) add_to_empty(empty);
            if (board_.stock_left()) add({deal_stock, 0});
        }
        finish(frame);
    }

    /// Inside a compound move: only joins that its first half made possible.
    void expand_half(Frame& frame, Set before) {
        frame.first = frame.next = steps_.size();
        frame.joins = joins(board_);
        bool refuted = false;
        if (prunings_.dead_test && !prunings_.futile) {
            Closure<Key, true> now(board_);
            now.grow();
            refuted = dead(now, board_.empty_piles());
        }
        if (!refuted) add_joins(frame.joins & ~before);
        finish(frame);
    }

    void finish(Frame& frame) {
        frame.last = steps_.size();
        if (backwards_) std::reverse(steps_.begin() + static_cast<std::ptrdiff_t>(frame.first), steps_.end());
    }

    /// B1.  `now` has grown if no pile is empty.
    bool dead(const Closure<Key, true>& now, int empty) const {
        if (!prunings_.dead_test) return false;
        if (empty == 0 && !now.empties()) return now.stuck();
        if (board_.rules().any_to_empty) return false;
        Closure<Key> kings_free(board_);
        kings_free.grow(true);
        return kings_free.stuck();
    }

    /// Moves to an empty pile; of piles that are alike only the first is tried.
    void add_to_empty(int empty) {
        const bool compound = prunings_.compound && empty == 1 && !board_.stock_left();
        const bool test = compound && prunings_.futile;
        Set cards = board_.up() & board_.on_table();
        if (prunings_.joined_stay && !board_.stock_left()) cards &= ~board_.joined();
        if (!board_.rules().any_to_empty) cards &= board_.kings();
        if (!board_.stock_left()) cards &= ~board_.bottoms();
        Closure<Key> now(board_);
        if (test) now.grow();
        bool tried_alike = false;
        for (int p = 0; p < board_.rules().piles; ++p) {
            if (board_.pile(p)) continue;
            const auto to = static_cast<std::uint8_t>(p);
            const bool alike = board_.lands_on({0, to}) == base;
            if (alike && tried_alike) continue;
            tried_alike |= alike;
            each(cards, [&](Card card) {
                const Move move{card, to};
                if (!compound || completes(move)) return add(move);
                if (opens(board_, card) && !(test && futile(card, now))) add(move, true);
            });
        }
    }

    /// Whether E(z) uncovers a finished run.
    bool completes(Move move) {
        if (rank_of(board_.below(move.card)) != 0) return false;
        typename Board<Key>::Undo undo;
        const Set gone = board_.gone();
        board_.play(move, undo);
        const bool yes = board_.gone() != gone;
        board_.take_back(undo);
        return yes;
    }

    Board<Key> board_;
    Prunings prunings_;
    bool backwards_;
    Table<Key> table_;
    std::vector<Frame> frames_;
    std::vector<Step> steps_;
    std::vector<Move> line_;
    std::int64_t positions_ = 0, budget_ = 0, next_poll_ = 0;
};

}  // namespace solstat::scorpion
