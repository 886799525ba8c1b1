// Depth-first search for family `scorpion`: one stage, complete, so it may say won and lost.
#pragma once

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

    Search(const Rules& rules, Prunings prunings, const Keys& keys)
        : board_(rules, keys), prunings_(prunings) {}

    /// Searches one deal; the line of a win is in `line()`.
    Outcome run(std::span<const Card> deal, std::int64_t budget, const Cancelled& cancelled) {
        board_.start(deal);
        table_.clear();
        moves_.clear();
        frames_.clear();
        line_.clear();
        positions_ = 1;
        budget_ = budget;
        next_poll_ = poll_every;
        table_.insert(board_.key(), Seen::full);
        if (board_.won()) return Outcome::won;
        return descend(cancelled);
    }

    std::int64_t positions() const { return positions_; }
    std::size_t table_bytes() const { return table_.bytes(); }
    const std::vector<Move>& line() const { return line_; }

  private:
    static constexpr std::int64_t poll_every = 1 << 14;

    struct Frame {
        typename Board<Key>::Undo undo;
        std::size_t first, next, last;  ///< its moves in moves_
        bool half;                      ///< inside a compound move
    };

    Outcome descend(const Cancelled& cancelled) {
        frames_.push_back({{}, 0, 0, 0, false});
        expand(frames_.back());
        while (!frames_.empty()) {
            Frame& frame = frames_.back();
            if (frame.next == frame.last) {
                moves_.resize(frame.first);
                if (frames_.size() > 1) board_.take_back(frame.undo);
                frames_.pop_back();
                continue;
            }
            const Step step = moves_[frame.next++];
            frames_.push_back({{}, moves_.size(), moves_.size(), moves_.size(), step.half});
            Frame& child = frames_.back();
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
                continue;
            }
            if (step.half) expand_half(child, frames_[frames_.size() - 2]);
            else expand(child);
        }
        return Outcome::lost;
    }

    bool dead(int empty) const {
        if (!prunings_.dead_test) return false;
        const bool kings_only = !board_.rules().any_to_empty;
        if (empty > 0 && !kings_only) return false;
        const Set must = board_.deck() & ~board_.gone() & ~board_.joined() & ~kings();
        if (empty == 0) {
            const Closure c = closure(board_, 0, false, true);
            if (!c.empties) return (must & ~c.leaves) != 0;
        }
        if (!kings_only) return false;
        return (must & ~closure(board_, 0, true, false).leaves) != 0;
    }

    Set kings() const {
        Set all = 0;
        for (int suit = 0; suit < board_.rules().suits; ++suit)
            all |= bit(static_cast<Card>(16 * suit + board_.rules().ranks - 1));
        return all;
    }

    void add(Move move, bool half = false) { moves_.push_back({move, half}); }

    void expand(Frame& frame) {
        const int empty = board_.empty_piles();
        frame.first = frame.next = moves_.size();
        if (!dead(empty)) {
            for (int p = 0; p < board_.rules().piles; ++p) {
                if (!board_.pile(p) || rank_of(board_.top(p)) == 0) continue;
                const Move move{static_cast<Card>(board_.top(p) - 1), static_cast<std::uint8_t>(p)};
                if (board_.legal(move)) add(move);
            }
            if (!board_.stock_left() && prunings_.singletons && single(frame.first, empty)) {
                // moves_ holds the one join
            } else {
                if (empty > 0) to_empty(empty);
                if (board_.stock_left()) add({deal_stock, 0});
            }
        }
        frame.last = moves_.size();
    }

    /// After the first half of a compound move: only joins that it made possible.
    void expand_half(Frame& frame, const Frame& parent) {
        frame.first = frame.next = moves_.size();
        if (!dead(board_.empty_piles())) {
            for (int p = 0; p < board_.rules().piles; ++p) {
                if (!board_.pile(p) || rank_of(board_.top(p)) == 0) continue;
                const Move move{static_cast<Card>(board_.top(p) - 1), static_cast<std::uint8_t>(p)};
                if (!board_.legal(move)) continue;
                bool old = false;
                for (std::size_t i = parent.first; i < parent.last && !old; ++i)
                    old = moves_[i].move.card == move.card && !moves_[i].half && moves_[i].move.pile == move.pile;
                if (!old) add(move);
            }
        }
        frame.last = moves_.size();
    }

    bool single(std::size_t first, int empty) {
        const Set movers = board_.deck() & ~board_.gone() & ~board_.joined() & ~kings();
        for (std::size_t i = first; i < moves_.size(); ++i) {
            const Move move = moves_[i].move;
            bool alone = independent(board_, move.card, move.pile, movers & ~bit(move.card));
            if (!alone && empty == 0) {
                const Closure c = closure(board_, bit(move.card), false, true);
                alone = !c.empties && independent(board_, move.card, move.pile, c.leaves & ~kings());
            }
            if (alone) {
                moves_.resize(first);
                add(move);
                return true;
            }
        }
        return false;
    }

    void to_empty(int empty) {
        const bool compound = prunings_.compound && empty == 1 && !board_.stock_left();
        const bool alike = !board_.stock_left();
        for (int p = 0; p < board_.rules().piles; ++p) {
            if (board_.pile(p)) continue;
            each(board_.up() & ~board_.gone() & ~board_.stock() & (alike ? ~board_.joined() : ~Set{0}), [&](Card card) {
                const Move move{card, static_cast<std::uint8_t>(p)};
                if (!board_.legal(move)) return;
                add(move, compound && !completes(move));
            });
            if (alike) break;
        }
    }

    /// Whether E(z) uncovers a finished run.
    bool completes(Move move) {
        typename Board<Key>::Undo undo;
        const Set gone = board_.gone();
        board_.play(move, undo);
        const bool yes = board_.gone() != gone;
        board_.take_back(undo);
        return yes;
    }

    struct Step {
        Move move;
        bool half;
    };

    Board<Key> board_;
    Prunings prunings_;
    Table<Key> table_;
    std::vector<Frame> frames_;
    std::vector<Step> moves_;
    std::vector<Move> line_;
    std::int64_t positions_ = 0, budget_ = 0, next_poll_ = 0;
};

}  // namespace solstat::scorpion
