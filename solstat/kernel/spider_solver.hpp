// One solver per rules and search, used for many deals.
#pragma once

#include "perft.hpp"
#include "spider.hpp"
#include "spider_line.hpp"

namespace solstat::spider {

/// Raised whenever an outcome, a count or a line of any deal can change.
inline constexpr int search_version = 1;

// ---- class Solver: here ----

using Perft = PerftOf<Game<Key64>>;

}  // namespace solstat::spider
