// Zobrist keys: a random word for every link (card, what it lies on) and every face-up card.
#pragma once

#include <array>
#include <cstdint>

#include "deal.hpp"

namespace solstat {

/// Keys for links `card on below`; below is a card (0..63) or a base symbol (64 and up).
template <class Key, int Bases>
class LinkKeys {
  public:
    explicit LinkKeys(std::uint64_t seed) {
        SplitMix64 draw(seed);
        for (auto& row : link_)
            for (auto& key : row) key = word(draw);
        for (auto& key : up_) key = word(draw);
    }
    Key link(int card, int below) const { return link_[card][below]; }
    Key up(int card) const { return up_[card]; }

  private:
    static Key word(SplitMix64& draw) {
        Key key = draw();
        if constexpr (sizeof(Key) > 8) key = (key << 64) | draw();
        return key;
    }
    std::array<std::array<Key, 64 + Bases>, 64> link_{};
    std::array<Key, 64> up_{};
};

}  // namespace solstat
