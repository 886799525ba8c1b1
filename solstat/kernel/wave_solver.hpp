// One solver per rules and search, used for many deals.
#pragma once

#include <cstdint>
#include <memory>

#include "flow_cyclic.hpp"
#include "flow_line.hpp"
#include "flow_sets.hpp"
#include "line.hpp"
#include "outcome.hpp"
#include "perft.hpp"
#include "plain.hpp"
#include "wave.hpp"
#include "wave_game.hpp"
#include "wave_lattice.hpp"
#include "wave_line.hpp"
#include "wave_referee.hpp"
#include "wave_sets.hpp"

namespace solstat::wave {

/// Raised whenever an outcome, a count or a line of any deal can change.
inline constexpr int search_version = 1;

/// How to search: the staged search or the plain one.
struct Method {
    bool plain = false;
    bool joined_stay = true;  ///< flow: joined cards are never parted; docs/method-flow.md
    Prunings sets{};         ///< what the searches over sets leave out, that of flow too
};

template <class Key>
class Solver {
  public:
    Solver(const Rules& rules, const Method& method, std::uint64_t key_seed, bool backwards)
        : rules_(rules),
          method_(method),
          keys_(std::make_unique<typename Board<Key>::Keys>(key_seed)),
          board_(rules, *keys_),
          sets_(rules, method.sets),
          lattice_(rules, backwards),
          writer_(rules),
          flow_sets_(rules, method.sets.closure, key_seed, backwards),
          flow_table_(rules),
          flow_cyclic_(rules, method.joined_stay, key_seed, backwards),
          dfs_(board_, backwards) {}

    using Move = wave::Move;

    Verdict solve(Opening<Move> from, std::int64_t budget, const Cancelled& cancelled, bool lines = true) {
        Verdict verdict;
        const auto run = [&](Stage stage, auto& search) {
            verdict.outcome = search.run(from, budget - verdict.positions, cancelled);
            verdict.stage = static_cast<std::uint8_t>(stage);
            verdict.positions += search.positions();
            return verdict.outcome == Outcome::won;
        };
        // Lines from searches over sets are as short as shortening would make them: docs/method-wave.md.
        if (!rules_.build) {
            if (method_.plain ? run(Stage::lattice, lattice_) : run(Stage::sets, sets_))
                confirm(verdict, rules_, from, writer_(from, method_.plain ? lattice_.takes() : sets_.takes()), lines);
        } else if (method_.plain) {
            if (run(Stage::dfs, dfs_)) prove(verdict, board_, from, dfs_.line(), lines);
        } else if (method_.joined_stay && run(Stage::sets, flow_sets_)) {
            confirm(verdict, rules_, from, flow_table_.play(from, flow_sets_.takes()), lines);
        } else if (!method_.joined_stay || (verdict.outcome == Outcome::lost && rules_.fill_empty)) {
            if (run(Stage::cyclic, flow_cyclic_)) prove(verdict, board_, from, flow_cyclic_.line(), lines);
        }
        return verdict;
    }

  private:
    /// Numbered as in solver.STAGES.
    enum class Stage : std::uint8_t { sets, cyclic, lattice, dfs };

    Rules rules_;
    Method method_;
    std::unique_ptr<typename Board<Key>::Keys> keys_;
    Board<Key> board_;
    SetSearch sets_;
    LatticeSearch lattice_;
    LineWriter writer_;
    FlowSets<Key> flow_sets_;
    FlowTable flow_table_;
    FlowCyclic<Key> flow_cyclic_;
    PlainSearch<Board<Key>, Move> dfs_;
};

using Perft = PerftOf<Game<Key64>>;

}  // namespace solstat::wave
