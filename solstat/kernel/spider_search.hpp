// Cyclic best-first search for family `spider`: one set of positions, no restarts, nothing dropped
// but what is proved dead; so it may say won and lost.
//
// Moves wait in buckets by (deals made, moves since the last deal), the best first.  A sweep goes
// through the buckets and plays the best waiting move of each; moves found on the way may be played
// in the same sweep.  A move is scored on the table before it (spider_score.hpp), so a position is
// made, looked up and counted only when its move is played.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "outcome.hpp"
#include "spider.hpp"
#include "spider_dead.hpp"
#include "spider_score.hpp"
#include "table.hpp"

namespace solstat::spider {

template <class Key>
class CyclicSearch {
  public:
    CyclicSearch(Board<Key>& board, const Weights& weights, bool dead_test)
        : board_(board), score_(board, weights), dead_(board), test_(dead_test) {}

    /// Searches one deal; the line of a win, from where the search starts, is in `line()`.
    Outcome run(Opening<Move> from, std::int64_t budget, const Cancelled& cancelled) {
        clear();
        Node& root = fresh();
        root = {board_.start(from), 0, {Kind::deal, no_card, 0}, 0, false};
        table_.insert(root.at.key, Seen::full);
        positions_ = 1;
        if (board_.won(root.at)) return Outcome::won;
        if (test_ && dead_(root.at)) return Outcome::lost;
        expand();
        std::int64_t next_poll = poll_every;
        for (bool any = true; any;) {
            any = false;
            for (std::size_t b = 0; b < buckets_.size(); ++b) {
                while (!buckets_[b].empty()) {
                    any = true;
                    Node& node = play(b);
                    if (table_.insert(node.at.key, Seen::full) != Seen::no) continue;
                    if (positions_ == budget) return Outcome::unsettled;
                    if (++positions_ >= next_poll) {
                        next_poll += poll_every;
                        if (cancelled && cancelled()) throw CancelledError{};
                    }
                    if (board_.won(node.at)) {
                        trace(node);
                        return Outcome::won;
                    }
                    // What can be undone by one move is dead only if what it came from is.
                    if (!test_ || node.undoable || !dead_(node.at)) expand();
                    break;
                }
            }
        }
        return Outcome::lost;
    }

    std::int64_t positions() const { return positions_; }
    const std::vector<Move>& line() const { return line_; }

  private:
    static constexpr std::int64_t poll_every = 1 << 13;
    static constexpr int most_moves = 50;  ///< since a deal: more share the last bucket
    static constexpr std::uint32_t chunk = 1 << 10, chunks_kept = 16;
    static constexpr std::size_t waiting_kept = 1 << 12;

    /// A position whose moves were put into buckets.
    struct Node {
        Position<Key> at;
        std::uint32_t parent;
        Move move;  ///< that led here
        std::uint16_t bucket;
        bool undoable;
    };

    /// A move that waits to be played.
    struct Waiting {
        std::int32_t score;
        std::uint32_t node;
        Move move;
        /// Of equal scores the newest first; no two moves are equal, so their order is the same everywhere.
        bool operator<(const Waiting& other) const {
            if (score != other.score) return score < other.score;
            if (node != other.node) return node < other.node;
            return code(move) < code(other.move);
        }
        static int code(Move move) {
            return (static_cast<int>(move.kind) << 12) | (move.card << 4) | move.to;
        }
    };

    void clear() {
        if (chunks_.size() > chunks_kept) chunks_.resize(chunks_kept);
        const int deals = 2 + 52 / board_.rules().piles;
        buckets_.resize(static_cast<std::size_t>(deals * (most_moves + 1)));
        for (auto& bucket : buckets_)
            if (bucket.capacity() > waiting_kept) std::vector<Waiting>().swap(bucket);
            else bucket.clear();
        table_.clear();
        line_.clear();
        nodes_ = 0;
    }

    Node& node(std::uint32_t i) { return chunks_[i / chunk][i % chunk]; }

    /// Room for one more node; it is taken by `expand`.
    Node& fresh() {
        if (nodes_ / chunk == chunks_.size()) chunks_.push_back(std::make_unique_for_overwrite<Node[]>(chunk));
        return node(nodes_);
    }

    /// Plays the best move of a bucket.
    Node& play(std::size_t b) {
        auto& bucket = buckets_[b];
        std::pop_heap(bucket.begin(), bucket.end());
        const Waiting next = bucket.back();
        bucket.pop_back();
        Node& made = fresh();
        const Node& from = node(next.node);
        made.at = from.at;
        made.parent = next.node;
        made.move = next.move;
        made.bucket = static_cast<std::uint16_t>(b);
        made.undoable = board_.undoable(from.at, next.move);
        board_.play(made.at, next.move);
        return made;
    }

    void expand() {
        const std::uint32_t id = nodes_++;
        const Node& from = node(id);
        score_(from.at);
        moves_.clear();
        board_.distinct_moves(from.at, moves_);
        const int since = from.bucket % (most_moves + 1);
        const int same_deal = from.bucket - since + std::min(since + 1, most_moves);
        for (const Move move : moves_) {
            const std::int32_t score = score_.after(move);
            const int b = move.kind == Kind::deal ? from.bucket - since + most_moves + 1 : same_deal;
            auto& bucket = buckets_[static_cast<std::size_t>(b)];
            bucket.push_back({score, id, move});
            std::push_heap(bucket.begin(), bucket.end());
        }
    }

    void trace(const Node& last) {
        for (const Node* at = &last; at != &node(0); at = &node(at->parent)) line_.push_back(at->move);
        std::reverse(line_.begin(), line_.end());
    }

    Board<Key>& board_;
    Score<Key> score_;
    DeadTest<Key> dead_;
    bool test_;
    Table<Key> table_;
    std::vector<std::unique_ptr<Node[]>> chunks_;
    std::uint32_t nodes_ = 0;
    std::vector<std::vector<Waiting>> buckets_;
    std::vector<Move> moves_, line_;
    std::int64_t positions_ = 0;
};

}  // namespace solstat::spider
