// The weights of the score of family `spider`.
#pragma once

#include "spider_score.hpp"

namespace solstat::spider {

inline constexpr Weights tuned_weights{{{
    {-388, 1397, -611, -335, -242, -196, -396, -583, -251, -434, 103, -116, 26, 46, 15000, 360, -51, -81, -1, -17, -105, 17},  // while there is stock left
    {-1057, 1228, -495, -338, -332, -431, -375, -485, -127, -269, -43, 294, 105, -43, 15000, 339, -27, -33, 22, -54, 136, -255},  // after the last deal
}}};

}  // namespace solstat::spider
