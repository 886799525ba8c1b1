// One solver per rules and search, used for many deals.
#pragma once

#include <memory>

#include "line.hpp"
#include "outcome.hpp"
#include "perft.hpp"
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

    using Move = scorpion::Move;

    Verdict solve(Opening<Move> from, std::int64_t budget, const Cancelled& cancelled, bool lines = true) {
        Verdict verdict;
        verdict.outcome = search_.run(from, budget, cancelled);
        verdict.positions = search_.positions();
        if (verdict.outcome == Outcome::won) prove(verdict, board_, from, search_.line(), lines);
        return verdict;
    }

  private:
    std::unique_ptr<typename Board<Key>::Keys> keys_;
    Search<Key> search_;
    Board<Key> board_;
};

using Perft = PerftOf<Game<Key64>>;

}  // namespace solstat::scorpion
