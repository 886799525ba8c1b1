// Scheme `solstat`: a 64-bit seed becomes an order of 52 cards.  docs/deals.md writes it down to
// the bit; it never changes under this name.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace solstat {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): the state walks by a constant, each step is mixed.
class SplitMix64 {
  public:
    explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}
    constexpr std::uint64_t operator()() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

  private:
    std::uint64_t state_;
};

/// Unbiased Fisher-Yates, downward; draws that would favour low numbers are thrown away.
inline std::array<std::uint8_t, 52> deal_solstat(std::uint64_t seed) {
    std::array<std::uint8_t, 52> deck{};
    for (int i = 0; i < 52; ++i) deck[i] = static_cast<std::uint8_t>(i);
    SplitMix64 draw(seed);
    for (std::uint64_t i = 51; i > 0; --i) {
        const std::uint64_t n = i + 1;
        const std::uint64_t excess = (0 - n) % n;  // 2^64 mod n
        std::uint64_t x = draw();
        while (x > ~excess) x = draw();  // keep x < 2^64 - excess
        if (const auto j = x % n; j != i) std::swap(deck[i], deck[j]);
    }
    return deck;
}

}  // namespace solstat
