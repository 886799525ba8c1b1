// One solver per rules and search, used for many deals.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "outcome.hpp"
#include "scorpion.hpp"
#include "scorpion_line.hpp"
#include "scorpion_search.hpp"

namespace solstat::scorpion {

/// Raised whenever an outcome, a count or a line of any deal can change.
inline constexpr int search_version = 1;

template <class Key>
class Solver {
  public:
    Solver(const Rules& rules, Prunings prunings, std::uint64_t key_seed, bool backwards = false)
        : keys_(std::make_unique<typename Board<Key>::Keys>(key_seed)),
          search_(rules, prunings, *keys_, backwards),
          board_(rules, *keys_) {}

    Verdict solve(std::span<const Card> deal, std::int64_t budget, const Cancelled& cancelled) {
        Verdict verdict;
        verdict.outcome = search_.run(deal, budget, cancelled);
        verdict.positions = search_.positions();
        if (verdict.outcome == Outcome::won) {
            const auto line = shorten(board_, deal, search_.line());
            if (!replays(board_.rules(), deal, line))
                throw std::logic_error("a winning line does not replay: " + line_text(line));
            verdict.moves = static_cast<std::int32_t>(line.size());
            verdict.line = line_text(line);
        }
        return verdict;
    }

  private:
    std::unique_ptr<typename Board<Key>::Keys> keys_;
    Search<Key> search_;
    Board<Key> board_;
};

/// Numbers of move sequences of length 1..depth, after `line`, from the unpruned move list.
class Perft {
  public:
    explicit Perft(const Rules& rules) : keys_(std::make_unique<Board<Key64>::Keys>(0)), board_(rules, *keys_) {}

    std::vector<std::uint64_t> count(std::span<const Card> deal, std::span<const Move> line, int depth,
                                     const Cancelled& cancelled) {
        board_.start(deal);
        for (const Move move : line) {
            if (!board_.legal(move)) throw std::invalid_argument("illegal move: " + move_text(move));
            Board<Key64>::Undo undo;
            board_.play(move, undo);
        }
        counts_.assign(static_cast<std::size_t>(depth), 0);
        cancelled_ = &cancelled;
        played_ = 0;
        descend(0);
        return counts_;
    }

  private:
    void descend(std::size_t ply) {
        std::vector<Move> moves;
        board_.all_moves(moves);
        counts_[ply] += moves.size();
        if (ply + 1 == counts_.size()) return;
        if (++played_ % (1 << 14) == 0 && (*cancelled_)()) throw CancelledError{};
        for (const Move move : moves) {
            Board<Key64>::Undo undo;
            board_.play(move, undo);
            descend(ply + 1);
            board_.take_back(undo);
        }
    }

    std::unique_ptr<Board<Key64>::Keys> keys_;
    Board<Key64> board_;
    std::vector<std::uint64_t> counts_;
    std::uint64_t played_ = 0;
    const Cancelled* cancelled_ = nullptr;
};

}  // namespace solstat::scorpion
