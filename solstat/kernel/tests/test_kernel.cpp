// Tests of the kernel that need its insides, or sanitizers.  No Python, nothing to download.
#include <cstdio>
#include <set>
#include <vector>

#include "../deal.hpp"
#include "../scorpion_solver.hpp"
#include "walk.hpp"

using namespace solstat;
using namespace solstat::test;

namespace {

struct Draw {
    SplitMix64 next;
    int operator()(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
};

void board_agrees_with_the_referee_and_takes_moves_back() {
    Draw pick{SplitMix64(1)};
    for (int i = 0; i < 3000; ++i) {
        const auto rules = some_rules(pick);
        if (i % 2) walk<Key64>(rules, pick, 60);
        else walk<Key128>(rules, pick, 60);
    }
}

template <class Key>
void table_is_a_set_with_marks() {
    SplitMix64 draw(2);
    Table<Key> table;
    for (int round = 0; round < 3; ++round) {
        std::vector<Key> keys(5000 << round);
        for (Key& key : keys) key = (static_cast<Key>(draw()) << (sizeof(Key) > 8 ? 64 : 0)) ^ draw();
        std::size_t size = 0;
        for (const Key key : keys) {
            CHECK(!table.done(key));
            CHECK(table.insert(key, Seen::half) == Seen::no);
            CHECK(table.size() == ++size);
            CHECK(!table.done(key));
        }
        for (const Key key : keys) {
            CHECK(table.insert(key, Seen::half) == Seen::half);
            CHECK(table.insert(key, Seen::full) == Seen::half);
            CHECK(table.insert(key, Seen::half) == Seen::full);
            CHECK(table.done(key));
        }
        CHECK(table.size() == size);
        table.clear();
        CHECK(table.size() == 0 && !table.done(keys[0]));
    }
}

void keys_with_no_bits_are_kept_too() {
    Table<Key64> table;
    CHECK(table.insert(0, Seen::half) == Seen::no);
    CHECK(table.insert(0, Seen::full) == Seen::half);
    CHECK(table.insert(1, Seen::full) == Seen::full);  // the mark is no part of a key
}

/// Every verdict the same with every set of prunings; lines replay (solve throws if they do not).
void searches_agree() {
    Draw pick{SplitMix64(3)};
    int won = 0, lost = 0;
    for (int i = 0; i < 6000; ++i) {
        auto rules = some_rules(pick);
        if (rules.ranks * rules.suits > 16) continue;
        const auto deal = some_deal(rules, pick);
        std::set<Outcome> verdicts;
        for (int mask = 0; mask < 32; ++mask) {
            const scorpion::Prunings prunings{bool(mask & 1), bool(mask & 2), bool(mask & 4), bool(mask & 8), bool(mask & 16)};
            scorpion::Solver<Key64> solver(rules, prunings, 7);
            const Verdict verdict = solver.solve(deal, 2000, {});
            if (verdict.outcome != Outcome::unsettled) verdicts.insert(verdict.outcome);
        }
        CHECK(verdicts.size() <= 1);
        won += verdicts.contains(Outcome::won);
        lost += verdicts.contains(Outcome::lost);
    }
    CHECK(won > 1000 && lost > 500);
}

void deals_are_permutations() {
    for (std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        std::set<int> cards;
        for (const auto card : deal_solstat(seed)) cards.insert(card);
        CHECK(cards.size() == 52 && *cards.begin() == 0 && *cards.rbegin() == 51);
    }
}

}  // namespace

int main() {
    int passed = 0;
    for (const auto test : {board_agrees_with_the_referee_and_takes_moves_back, table_is_a_set_with_marks<Key64>,
                            table_is_a_set_with_marks<Key128>, keys_with_no_bits_are_kept_too, searches_agree,
                            deals_are_permutations}) {
        test();
        ++passed;
    }
    std::printf("%d kernel tests passed\n", passed);
}
