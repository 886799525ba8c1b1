// What all kernel tests use: a check that aborts, a stream of random numbers, decks of cards.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "../cards.hpp"
#include "../deal.hpp"

namespace solstat::test {

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
            std::abort();                                                                 \
        }                                                                                 \
    } while (false)

/// Numbers from a generator: `pick(n)` is below n.  The fuzz target picks from its bytes instead.
struct Draw {
    SplitMix64 next;
    int operator()(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
};

/// One of some things, all equally likely.
template <class Things, class Pick>
auto any_of(const Things& things, Pick& pick) {
    return things[static_cast<std::size_t>(pick(static_cast<int>(things.size())))];
}

/// A deck in some order.
template <class Pick>
std::vector<Card> some_deck(int ranks, int suits, Pick& pick) {
    std::vector<Card> deal;
    for (int suit = 0; suit < suits; ++suit)
        for (int rank = 0; rank < ranks; ++rank) deal.push_back(static_cast<Card>(16 * suit + rank));
    // Halfway to a sorted deck now and then: random decks rarely hold long runs.
    const int swaps = pick(2) ? static_cast<int>(deal.size()) : pick(8);
    for (int i = 0; i < swaps; ++i)
        std::swap(deal[static_cast<std::size_t>(pick(static_cast<int>(deal.size())))],
                  deal[static_cast<std::size_t>(pick(static_cast<int>(deal.size())))]);
    return deal;
}

}  // namespace solstat::test
