// The weights of the score of family `spider`.
#pragma once

#include "spider_score.hpp"

namespace solstat::spider {

inline constexpr Weights tuned_weights{{{
    {-400, 1444, -262, -319, -278, -223, -426, -701, -220, -372, 161, -169, 21, 11, 15000, 368, -87, -69, -32, -12, -65, 20},  // while there is stock left
    {-743, 1255, -414, -290, -299, -427, -366, -370, -257, -289, 57, 369, 81, -63, 15000, 253, -40, -48, 31, -92, 70, -272},  // after the last deal
}}};

}  // namespace solstat::spider
