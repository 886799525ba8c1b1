// The plain search over positions: one depth-first stage without any pruning, the second opinion.
//
// A `Board` says how a family's positions start, move and are won; they are copied, not taken back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "opening.hpp"
#include "outcome.hpp"
#include "table.hpp"

namespace solstat {

template <class Board, class Move>
class PlainSearch {
  public:
    /// With `backwards` moves are tried in the opposite order: another way through the same positions.
    PlainSearch(Board& board, bool backwards) : board_(board), backwards_(backwards) {}

    /// Searches one deal; the line of a win, from where the search starts, is in `line()`.
    Outcome run(Opening<Move> from, std::int64_t budget, const Cancelled& cancelled) {
        table_.clear();
        moves_.clear();
        frames_.clear();
        line_.clear();
        positions_ = 1;
        std::int64_t next_poll = poll_every;
        enter(board_.start(from));
        if (board_.won(frames_.back().at)) return Outcome::won;
        table_.insert(frames_.back().at.key, Seen::full);
        while (!frames_.empty()) {
            if (frames_.back().left == 0) {
                frames_.pop_back();
                continue;
            }
            --frames_.back().left;
            const Move move = moves_.back();
            moves_.pop_back();
            At at = frames_.back().at;
            board_.play(at, move);
            if (table_.insert(at.key, Seen::full) != Seen::no) continue;
            if (positions_ == budget) return Outcome::unsettled;
            if (++positions_ >= next_poll) {
                next_poll += poll_every;
                if (cancelled && cancelled()) throw CancelledError{};
            }
            frames_.back().move = move;
            if (board_.won(at)) {
                for (const Frame& frame : frames_) line_.push_back(frame.move);
                return Outcome::won;
            }
            enter(at);
        }
        return Outcome::lost;
    }

    std::int64_t positions() const { return positions_; }
    const std::vector<Move>& line() const { return line_; }

  private:
    using At = typename Board::At;
    static constexpr std::int64_t poll_every = 1 << 14;

    struct Frame {
        At at;
        std::size_t left;  ///< moves of this position not tried yet: the last ones of moves_
        Move move;         ///< the one being tried
    };

    void enter(const At& at) {
        const auto first = moves_.size();
        board_.distinct_moves(at, moves_);
        if (backwards_) std::reverse(moves_.begin() + static_cast<std::ptrdiff_t>(first), moves_.end());
        frames_.push_back({at, moves_.size() - first, {}});
    }

    Board& board_;
    bool backwards_;
    Table<decltype(At::key)> table_;
    std::vector<Frame> frames_;
    std::vector<Move> moves_;
    std::vector<Move> line_;
    std::int64_t positions_ = 0;
};

}  // namespace solstat
