// The weights of the score of family `spider`.
#pragma once

#include "spider_score.hpp"

namespace solstat::spider {

inline constexpr Weights tuned_weights{{{{}, {}}}};

}  // namespace solstat::spider
