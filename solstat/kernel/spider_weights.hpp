// The weights of the score of family `spider`, in hundredths, in the order of `Feature`.
//
// Written by tools/tune.py on 2026-11-30: 5 generations of 10,
// deals 1000000 to 1000399 of scheme solstat, budget 20000.
// Mean log(positions + 200) over their 114 hard deals: 8.796 before, 8.611 after;
// over the 116 of as many deals not tuned on: 8.942 before, 8.688 after.
#pragma once

#include "spider_score.hpp"

namespace solstat::spider {

inline constexpr Weights tuned_weights{{{
    {-400, 1337, -284, -339, -280, -217, -443, -628, -220, -361, 184, -162, 33, 15, 15000, 366, -73, -59, -33, -7, -95, -35},  // while there is stock left
    {-748, 1358, -398, -255, -358, -442, -358, -353, -225, -294, 8, 401, 76, -47, 15000, 250, -45, -37, 36, -98, 88, -259},  // after the last deal
}}};

}  // namespace solstat::spider
