// Scheme `pysol`: the boards of PySolFC by their numbers.  docs/deals.md says how.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace solstat {

/// MT19937 seeded as Python's random.Random(n) is: by the 32-bit words of n, lowest first
/// (Matsumoto and Nishimura, ACM TOMACS 8:1, 1998, with their init_by_array of 2002).
class PythonRandom {
  public:
    PythonRandom(std::uint64_t low, std::uint64_t high) {
        std::array<std::uint32_t, 4> words{};
        std::size_t count = 0;
        for (const std::uint64_t half : {low, high})
            for (const int shift : {0, 32}) words[count++] = static_cast<std::uint32_t>(half >> shift);
        while (count > 1 && words[count - 1] == 0) --count;

        state_[0] = 19650218u;
        for (std::size_t i = 1; i < n; ++i) state_[i] = 1812433253u * twist(i) + static_cast<std::uint32_t>(i);
        std::size_t i = 1, j = 0;
        const auto next = [&] {
            if (++i == n) {
                state_[0] = state_[n - 1];
                i = 1;
            }
        };
        for (std::size_t k = 0; k < n; ++k) {
            state_[i] = (state_[i] ^ (twist(i) * 1664525u)) + words[j] + static_cast<std::uint32_t>(j);
            next();
            j = (j + 1) % count;
        }
        for (std::size_t k = 0; k < n - 1; ++k) {
            state_[i] = (state_[i] ^ (twist(i) * 1566083941u)) - static_cast<std::uint32_t>(i);
            next();
        }
        state_[0] = 0x80000000u;
    }

    /// A double in [0, 1) with 53 random bits.
    double random() {
        const std::uint32_t a = word() >> 5, b = word() >> 6;
        return (a * 67108864.0 + b) / 9007199254740992.0;
    }

  private:
    static constexpr std::size_t n = 624, m = 397;

    std::uint32_t twist(std::size_t i) const { return state_[i - 1] ^ (state_[i - 1] >> 30); }

    std::uint32_t word() {
        if (at_ == n) {
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % n] & 0x7fffffffu);
                state_[i] = state_[(i + m) % n] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0u);
            }
            at_ = 0;
        }
        std::uint32_t y = state_[at_++];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        return y ^ (y >> 18);
    }

    std::array<std::uint32_t, n> state_{};
    std::size_t at_ = n;
};

/// The boards that are not Microsoft's; numbers are low + 2^64 * high.
inline std::array<std::uint8_t, 52> deal_pysol(std::uint64_t low, std::uint64_t high) {
    std::array<std::uint8_t, 52> deck{};
    for (std::size_t i = 0; i < 52; ++i) deck[51 - i] = static_cast<std::uint8_t>(i);  // dealt from the end
    PythonRandom draw(low, high);
    for (std::size_t i = 51; i > 0; --i) {
        const auto j = static_cast<std::size_t>(draw.random() * static_cast<double>(i + 1));
        std::swap(deck[51 - i], deck[51 - j]);
    }
    return deck;
}

/// Microsoft's boards: their generator, and a deck AC AD AH AS 2C ...
inline std::array<std::uint8_t, 52> deal_microsoft(std::uint32_t number) {
    std::array<std::uint8_t, 52> deck{};
    constexpr std::array<int, 4> suits{0, 3, 2, 1};
    for (std::size_t i = 0; i < 52; ++i) deck[51 - i] = static_cast<std::uint8_t>(13 * suits[i % 4] + static_cast<int>(i / 4));
    std::uint32_t state = number;
    for (std::size_t i = 51; i > 0; --i) {
        state = state * 214013u + 2531011u;
        const std::size_t j = (state >> 16 & 0x7fff) % (i + 1);
        std::swap(deck[51 - i], deck[51 - j]);
    }
    return deck;
}

}  // namespace solstat
