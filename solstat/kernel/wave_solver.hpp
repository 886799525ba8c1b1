// One solver per rules and search, used for many deals.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "flow_cyclic.hpp"
#include "flow_line.hpp"
#include "flow_sets.hpp"
#include "line.hpp"
#include "outcome.hpp"
#include "perft.hpp"
#include "plain.hpp"
#include "wave.hpp"
#include "wave_game.hpp"
#include "wave_referee.hpp"

namespace solstat::wave {

/// Raised whenever an outcome, a count or a line of any deal can change.
inline constexpr int search_version = 1;

/// How to search: the staged search or the plain one.
struct Method {
    bool plain;
    bool joins_stay, closure;
};

template <class Key>
class Solver {
  public:
    Solver(const Rules& rules, const Method& method, std::uint64_t key_seed, bool backwards)
        : rules_(rules),
          method_(method),
          keys_(std::make_unique<typename Board<Key>::Keys>(key_seed)),
          board_(rules, *keys_),
          sets_(rules, method.closure, key_seed, backwards),
          table_(rules),
          cyclic_(rules, method.joins_stay, key_seed, backwards),
          plain_(board_, backwards) {}

    Verdict solve(std::span<const Card> deal, std::int64_t budget, const Cancelled& cancelled, bool lines = true) {
        Verdict verdict;
        if (method_.plain || !rules_.build) {
            tell(verdict, Stage::dfs, plain_.run(deal, budget, cancelled), plain_.positions());
            if (verdict.outcome == Outcome::won) prove(verdict, board_, deal, plain_.line(), lines);
            return verdict;
        }
        if (method_.joins_stay) {
            tell(verdict, Stage::sets, sets_.run(deal, budget, cancelled), sets_.positions());
            if (verdict.outcome == Outcome::won) {
                table_.start(deal);
                table_.take(sets_.takes());
                confirm(verdict, rules_, deal, table_.line(), lines);
            }
            if (verdict.outcome != Outcome::lost || !rules_.fill_empty) return verdict;
        }
        tell(verdict, Stage::cyclic, cyclic_.run(deal, budget - verdict.positions, cancelled), cyclic_.positions());
        if (verdict.outcome == Outcome::won) prove(verdict, board_, deal, cyclic_.line(), lines);
        return verdict;
    }

  private:
    /// Numbered as in solver.STAGES.
    enum class Stage : std::uint8_t { sets, cyclic, dfs };

    static void tell(Verdict& verdict, Stage stage, Outcome outcome, std::int64_t positions) {
        verdict.outcome = outcome;
        verdict.stage = static_cast<std::uint8_t>(stage);
        verdict.positions += positions;
    }

    Rules rules_;
    Method method_;
    std::unique_ptr<typename Board<Key>::Keys> keys_;
    Board<Key> board_;
    FlowSets<Key> sets_;
    FlowTable table_;
    FlowCyclic<Key> cyclic_;
    PlainSearch<Board<Key>, Move> plain_;
};

using Perft = PerftOf<Game<Key64>>;

}  // namespace solstat::wave
