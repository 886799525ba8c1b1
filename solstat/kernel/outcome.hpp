// What a solver says of one deal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace solstat {

/// Numbered as in solver.OUTCOMES.
enum class Outcome : std::uint8_t { unsettled, won, lost, error };

struct Verdict {
    Outcome outcome = Outcome::unsettled;
    std::uint8_t stage = 0;  ///< that settled the deal, or the last one tried, as in solver.STAGES
    std::int64_t positions = 0;
    std::int32_t moves = -1;  ///< length of the line, if won
    std::string line;         ///< in the notation of games/, if won and wanted
};

/// Asked every some 10^4 positions whether to give up.
using Cancelled = std::function<bool()>;

/// A search stopped from outside: it has no verdict.
struct CancelledError {};

}  // namespace solstat
