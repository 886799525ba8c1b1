// Tests of Wave Motion's two searches over sets of cards: they agree with each other and with an
// exhaustive search of real moves on plain piles, and their lines replay.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "../wave.hpp"
#include "../wave_game.hpp"
#include "../wave_lattice.hpp"
#include "../wave_line.hpp"
#include "../wave_sets.hpp"
#include "check.hpp"

using namespace solstat;
using namespace solstat::test;
using namespace solstat::wave;

namespace {

/// How many times as many deals as under sanitizers: the only argument.
int times = 1;

const Cancelled never;
constexpr std::int64_t unlimited = std::int64_t{1} << 60;

Rules some_rules(Draw& pick, int most_cards) {
    Rules rules;
    do {
        rules.ranks = 2 + pick(7);
        rules.suits = 1 + pick(4);
    } while (rules.deck() > most_cards);
    rules.reserves = 1 + pick(7);
    rules.columns = rules.suits + pick(1 + pick(7 - rules.suits));  // mostly few: many are enough for all
    rules.runs = pick(2);
    return rules;
}

std::vector<Card> full_deal(std::uint64_t seed) {
    std::vector<Card> deal;
    for (const int card : deal_solstat(seed)) deal.push_back(from_outside(card));
    return deal;
}

/// A table of plain piles: columns, then reserves.
struct Piles {
    Rules rules;
    std::vector<std::vector<Card>> piles;

    Piles(const Rules& r, const std::vector<Card>& deal) : rules(r), piles(static_cast<std::size_t>(r.piles())) {
        for (std::size_t i = 0; i < deal.size(); ++i)
            piles[static_cast<std::size_t>(r.columns) + i % static_cast<std::size_t>(r.reserves)].push_back(deal[i]);
    }

    bool won() const {
        const auto empty = [](const auto& pile) { return pile.empty(); };
        return std::all_of(piles.begin() + rules.columns, piles.end(), empty);
    }

    /// Moves the top `n` cards of a pile to a column, if the rules allow it.
    bool play(std::size_t from, std::size_t n, std::size_t to) {
        if (from == to || to >= static_cast<std::size_t>(rules.columns) || n > piles[from].size()) return false;
        if (n > 1 && from >= static_cast<std::size_t>(rules.columns) && !rules.runs) return false;
        const auto first = piles[from].end() - static_cast<std::ptrdiff_t>(n);
        for (auto card = first + 1; card != piles[from].end(); ++card)
            if (*card + 1 != card[-1]) return false;
        if (!piles[to].empty() && piles[to].back() != *first + 1) return false;
        piles[to].insert(piles[to].end(), first, piles[from].end());
        piles[from].erase(first, piles[from].end());
        return true;
    }

    bool play(Move move) {
        for (std::size_t p = 0; p < piles.size(); ++p) {
            const auto found = std::find(piles[p].begin(), piles[p].end(), move.card);
            if (found != piles[p].end()) return play(p, static_cast<std::size_t>(piles[p].end() - found), move.to);
        }
        return false;
    }

    /// The same for all tables that differ only by the order of their columns.
    std::string image() const {
        auto sorted = piles;
        std::sort(sorted.begin(), sorted.begin() + rules.columns);
        std::string all;
        for (const auto& pile : sorted) all += std::string(pile.begin(), pile.end()) + '|';
        return all;
    }
};

/// Whether some line of real moves wins: all tables that can be reached.
bool winnable(const Rules& rules, const std::vector<Card>& deal) {
    std::vector<Piles> todo{{rules, deal}};
    std::set<std::string> seen{todo.back().image()};
    while (!todo.empty()) {
        const Piles at = todo.back();
        todo.pop_back();
        if (at.won()) return true;
        for (std::size_t from = 0; from < at.piles.size(); ++from)
            for (std::size_t n = 1; n <= at.piles[from].size(); ++n)
                for (std::size_t to = 0; to < at.piles.size(); ++to)
                    if (Piles next = at; next.play(from, n, to) && seen.insert(next.image()).second) todo.push_back(next);
    }
    return false;
}

/// Runs a search; the line of a win is spelled out and replayed, and every budget from its count on is enough.
template <class Search>
bool solved(Search& search, const Rules& rules, const std::vector<Card>& deal) {
    const Outcome outcome = search.run(deal, unlimited, never);
    CHECK(outcome == Outcome::won || outcome == Outcome::lost);
    if (outcome == Outcome::lost) return false;
    LineWriter spell_out(rules);
    Piles table(rules, deal);
    const auto& line = spell_out(deal, search.takes());
    for (const Move move : line) CHECK(table.play(move));
    CHECK(table.won());
    return true;
}

template <class Search>
bool solved(const Rules& rules, const std::vector<Card>& deal) {
    Search search(rules);
    return solved(search, rules, deal);
}

void searches_agree_with_real_moves() {
    Draw pick{SplitMix64(31)};
    int won = 0, lost = 0;
    for (int i = 0; i < 3000 * times; ++i) {
        const Rules rules = some_rules(pick, 14);
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        const bool win = winnable(rules, deal);
        CHECK(solved<SetSearch>(rules, deal) == win);
        CHECK(solved<LatticeSearch>(rules, deal) == win);
        (win ? won : lost)++;
    }
    CHECK(won > 300 && lost > 300);
}

/// All combinations of prunings.
std::vector<Prunings> all_prunings() {
    std::vector<Prunings> all;
    for (int n = 0; n < 32; ++n) all.push_back({!(n & 1), !(n & 2), !(n & 4), !(n & 8), !(n & 16)});
    return all;
}

void searches_agree_on_small_decks() {
    Draw pick{SplitMix64(32)};
    int won = 0, lost = 0;
    for (int i = 0; i < 4000 * times; ++i) {
        const Rules rules = some_rules(pick, 32);
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        const bool win = solved<LatticeSearch>(rules, deal);
        for (const Prunings prunings : all_prunings()) {
            SetSearch search(rules, prunings);
            CHECK(solved(search, rules, deal) == win);
        }
        (win ? won : lost)++;
    }
    CHECK(won > 300 && lost > 300);
}

/// Layouts of the whole deck that are neither hopeless nor easy.
void searches_agree_on_full_deals() {
    struct Layout {
        int reserves, columns;
    };
    int won = 0, lost = 0;
    std::uint64_t seed = 1'100'000;
    for (const Layout layout : {Layout{4, 10}, {5, 10}, {6, 9}, {7, 8}, {8, 8}, {9, 7}, {10, 7}, {26, 4}, {20, 5}, {3, 12}})
        for (const bool runs : {false, true}) {
            const Rules rules{.reserves = layout.reserves, .columns = layout.columns, .runs = runs};
            SetSearch sets(rules);
            LatticeSearch lattice(rules, runs);
            for (int i = 0; i < 3 * times; ++i) {
                const auto deal = full_deal(seed++);
                if (lattice.run(deal, 400'000, never) == Outcome::unsettled) continue;
                const bool win = solved(sets, rules, deal);
                CHECK(solved(lattice, rules, deal) == win);
                (win ? won : lost)++;
            }
        }
    CHECK(won > 5 && lost > 5);
}

/// Deals that would be called lost without the check before a commit.
void the_check_before_a_commit_is_needed() {
    struct Won {
        int reserves, columns;
        std::uint64_t seed;
    };
    for (const Won won : {Won{8, 8, 1'406'267}, {8, 8, 1'424'961}, {7, 9, 1'416'533}, {6, 10, 1'400'234}}) {
        const Rules rules{.reserves = won.reserves, .columns = won.columns};
        CHECK(solved<SetSearch>(rules, full_deal(won.seed)));
        CHECK(solved<LatticeSearch>(rules, full_deal(won.seed)));
    }
}

/// A deal and how many cards each reserve still holds.
struct Held {
    std::vector<std::vector<Card>> reserves;
    std::vector<std::size_t> counts;

    Held(const Rules& rules, const std::vector<Card>& deal) : reserves(static_cast<std::size_t>(rules.reserves)) {
        for (std::size_t i = 0; i < deal.size(); ++i) reserves[i % reserves.size()].push_back(deal[i]);
        counts.assign(reserves.size(), 0);
    }

    Set taken() const {
        Set all = 0;
        for (std::size_t r = 0; r < reserves.size(); ++r)
            for (std::size_t i = counts[r]; i < reserves[r].size(); ++i) all |= bit(reserves[r][i]);
        return all;
    }

    Before before() const {
        Before before{};
        for (const auto& reserve : reserves)
            for (std::size_t i = 0; i + 1 < reserve.size(); ++i) before[reserve[i]] = bit(reserve[i + 1]);
        return before;
    }

    /// Puts some cards back at random: at most `most` of each reserve.
    void put_back(Draw& pick, int most) {
        for (std::size_t r = 0; r < reserves.size(); ++r)
            counts[r] = std::min(reserves[r].size(), counts[r] + static_cast<std::size_t>(pick(most + 1)));
    }
};

int columns_of(Set taken) { return std::popcount(taken & ~(taken >> 1)); }

/// Calls `visit` with every set of taken cards between two.
template <class Visit>
void each_between(const Held& least, const Held& most, Visit visit) {
    Held at = most;
    const auto from = [&](const auto& self, std::size_t r) -> void {
        if (r == at.counts.size()) return visit(at.taken());
        for (at.counts[r] = most.counts[r]; at.counts[r] <= least.counts[r]; ++at.counts[r]) self(self, r + 1);
    };
    from(from, 0);
}

void a_flow_finds_the_fewest_columns() {
    Draw pick{SplitMix64(34)};
    FewestColumns fewest;
    int fewer = 0, none = 0;
    for (int i = 0; i < 3000 * times; ++i) {
        const Rules rules = some_rules(pick, 32);
        Held most(rules, some_deck(rules.ranks, rules.suits, pick));
        most.put_back(pick, 2);
        Held least = most;
        least.put_back(pick, 4);
        int minimum = 99;
        Set smallest = 0;
        each_between(least, most, [&](Set between) {
            if (columns_of(between) < minimum) minimum = columns_of(between), smallest = between;
            else if (columns_of(between) == minimum) smallest &= between;
        });
        const int columns = columns_of(least.taken()) - pick(2);
        const Set found = fewest(most.before(), least.taken(), most.taken(), columns);
        CHECK(found == (minimum < columns ? smallest : most.taken()));
        (minimum < columns ? fewer : none)++;
    }
    CHECK(fewer > 200 && none > 200);
}

/// Puts back a card that costs no column; false if there is none.
bool put_back_free(Held& at, int columns) {
    const Set taken = at.taken();
    for (std::size_t r = 0; r < at.reserves.size(); ++r) {
        if (at.counts[r] == at.reserves[r].size()) continue;
        const Card card = at.reserves[r][at.counts[r]];
        const bool lower = taken << 1 & bit(card), higher = taken >> 1 & bit(card);
        if (lower && (higher || columns_of(taken) == columns)) continue;
        ++at.counts[r];
        return true;
    }
    return false;
}

/// Between a closed set and the closure after one card, no set but the first has fewer columns than the last.
void closure_leaves_the_fewest_columns() {
    Draw pick{SplitMix64(35)};
    int fewer = 0;
    for (int i = 0; i < 10000 * times; ++i) {
        const Rules rules = some_rules(pick, 28);
        Held most(rules, some_deck(rules.ranks, rules.suits, pick));
        most.put_back(pick, 3);
        while (put_back_free(most, rules.columns)) {}
        const int columns = columns_of(most.taken());
        if (columns >= rules.columns) continue;
        for (std::size_t r = 0; r < most.counts.size(); ++r) {
            if (most.counts[r] == most.reserves[r].size()) continue;
            Held least = most;
            ++least.counts[r];
            while (put_back_free(least, rules.columns)) {}
            const int after = columns_of(least.taken());
            fewer += after <= columns;
            each_between(least, most, [&](Set between) { CHECK(between == most.taken() || columns_of(between) >= after); });
        }
    }
    CHECK(fewer > 300);
}

/// No later position of a line can be reached by one move instead of several.
void lines_cannot_be_shortened() {
    Draw pick{SplitMix64(36)};
    const Board<Key64>::Keys keys(1);
    std::size_t joins = 0;
    for (int i = 0; i < 3000 * times; ++i) {
        const Rules rules = some_rules(pick, 28);
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        SetSearch search(rules);
        if (search.run(deal, unlimited, never) != Outcome::won) continue;
        LineWriter spell_out(rules);
        const auto& line = spell_out(deal, search.takes());
        CHECK(shorten(Board<Key64>(rules, keys), deal, std::span<const Move>(line)) == line);
        joins += line.size() - search.takes().size();
    }
    CHECK(joins > 500);
}

template <class Search>
void check_budget(const Rules& rules, const std::vector<Card>& deal) {
    Search search(rules);
    const Outcome outcome = search.run(deal, unlimited, never);
    const auto positions = search.positions();
    CHECK(search.run(deal, positions, never) == outcome && search.positions() == positions);
    for (const std::int64_t budget : {positions - 1, positions / 2}) {
        if (budget < 1) continue;
        CHECK(search.run(deal, budget, never) == Outcome::unsettled && search.positions() == budget);
    }
}

void budgets_stop_searches_exactly() {
    Draw pick{SplitMix64(33)};
    for (int i = 0; i < 2000 * times; ++i) {
        const Rules rules = some_rules(pick, 28);
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        check_budget<SetSearch>(rules, deal);
        check_budget<LatticeSearch>(rules, deal);
    }
}

template <class Search>
void check_cancelling(Search search) {
    const auto deal = full_deal(1'400'033);
    search.run(deal, unlimited, never);
    CHECK(search.positions() > 50'000);
    bool stopped = false;
    try {
        search.run(deal, unlimited, [] { return true; });
    } catch (const CancelledError&) {
        stopped = true;
    }
    CHECK(stopped && search.positions() < 20'000);
}

void searches_can_be_stopped() {
    check_cancelling(LatticeSearch({}));
    check_cancelling(SetSearch({}, {false, false, false, false, false}));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) times = std::atoi(argv[1]);
    int passed = 0;
    for (const auto test : {searches_agree_with_real_moves, searches_agree_on_small_decks,
                            searches_agree_on_full_deals, the_check_before_a_commit_is_needed,
                            a_flow_finds_the_fewest_columns, closure_leaves_the_fewest_columns,
                            lines_cannot_be_shortened, budgets_stop_searches_exactly, searches_can_be_stopped}) {
        test();
        ++passed;
    }
    std::printf("%d tests of sets in family wave passed\n", passed);
}
