// The one place that knows Python: arrays in, arrays out, nothing decided here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deal.hpp"
#include "outcome.hpp"
#include "pysol.hpp"
#include "scorpion_solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace solstat;

namespace {

using Deals = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Seeds = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T, int Dims>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<Dims>>;

template <class T>
Array<T, 1> column(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T, 1>(kept->data(), {kept->size()}, owner);
}

/// Deals of n seeds, one row each.
template <class Deal>
Array<std::uint8_t, 2> dealt(std::size_t n, Deal deal_of) {
    auto* cards = new std::uint8_t[n * 52];
    nb::capsule owner(cards, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
    for (std::size_t i = 0; i < n; ++i) {
        const auto deal = deal_of(i);
        std::copy(deal.begin(), deal.end(), cards + 52 * i);
    }
    return Array<std::uint8_t, 2>(cards, {n, 52}, owner);
}

Array<std::uint8_t, 2> deal_solstat_many(Seeds seeds) {
    return dealt(seeds.shape(0), [&](std::size_t i) { return deal_solstat(seeds(i)); });
}

Array<std::uint8_t, 2> deal_pysol_many(Seeds low, Seeds high) {
    if (low.shape(0) != high.shape(0)) throw std::invalid_argument("a low and a high half for each number");
    return dealt(low.shape(0), [&](std::size_t i) { return deal_pysol(low(i), high(i)); });
}

Array<std::uint8_t, 2> deal_microsoft_many(Seeds numbers) {
    return dealt(numbers.shape(0), [&](std::size_t i) { return deal_microsoft(static_cast<std::uint32_t>(numbers(i))); });
}

/// A flag that another thread or a signal handler may set.
struct CancelFlag {
    std::atomic<bool> cancelled = false;
};

struct Cancel : std::exception {
    const char* what() const noexcept override { return "cancelled"; }
};

std::vector<Card> cards_of(Deals deals, std::size_t i) {
    std::vector<Card> cards(deals.shape(1));
    for (std::size_t k = 0; k < cards.size(); ++k) cards[k] = from_outside(deals(i, k));
    return cards;
}

/// Whether a signal has come in whose handler raised, such as Ctrl-C; the GIL is taken to ask.
bool signalled() {
    nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
}

/// Solves every deal; the GIL is taken only to ask whether a signal has come in.
template <class Solver>
nb::tuple solve_many(Solver& solver, Deals deals, std::int64_t budget, bool lines, CancelFlag* cancel) {
    const std::size_t n = deals.shape(0);
    std::vector<std::uint8_t> outcome(n);
    std::vector<std::int64_t> positions(n);
    std::vector<std::int32_t> moves(n);
    std::vector<double> seconds(n);
    std::vector<std::optional<std::string>> line(lines ? n : 0);
    bool interrupted = false;
    {
        nb::gil_scoped_release release;
        const Cancelled cancelled = [&] {
            if (cancel && cancel->cancelled.load(std::memory_order_relaxed)) return true;
            return interrupted = signalled();
        };
        try {
            using Clock = std::chrono::steady_clock;
            auto last_asked = Clock::now();
            for (std::size_t i = 0; i < n; ++i) {
                const auto begin = Clock::now();
                if (begin - last_asked > std::chrono::milliseconds(10)) {
                    last_asked = begin;
                    if (cancelled()) throw CancelledError{};
                }
                Verdict verdict = solver.solve(cards_of(deals, i), budget, cancelled);
                outcome[i] = static_cast<std::uint8_t>(verdict.outcome);
                positions[i] = verdict.positions;
                moves[i] = verdict.moves;
                if (lines && verdict.outcome == Outcome::won) line[i] = std::move(verdict.line);
                seconds[i] = std::chrono::duration<double>(Clock::now() - begin).count();
            }
        } catch (const CancelledError&) {
            nb::gil_scoped_acquire acquire;
            if (interrupted) throw nb::python_error();
            throw Cancel();
        }
    }
    return nb::make_tuple(column(std::move(outcome)), column(std::move(positions)), column(std::move(moves)),
                          column(std::move(seconds)), line);
}

nb::tuple scorpion_solve(const scorpion::Rules& rules, Deals deals, std::int64_t budget, bool lines,
                         const scorpion::Prunings& prunings, std::uint64_t key_seed, bool backwards, bool wide_keys,
                         CancelFlag* cancel) {
    if (wide_keys) {
        scorpion::Solver<Key128> solver(rules, prunings, key_seed, backwards);
        return solve_many(solver, deals, budget, lines, cancel);
    }
    scorpion::Solver<Key64> solver(rules, prunings, key_seed, backwards);
    return solve_many(solver, deals, budget, lines, cancel);
}

std::vector<std::uint64_t> scorpion_perft(const scorpion::Rules& rules, Deals deals,
                                          const std::vector<std::pair<int, int>>& line, int depth) {
    std::vector<scorpion::Move> moves;
    for (const auto& [card, pile] : line)
        moves.push_back(card < 0 ? scorpion::Move{scorpion::deal_stock, 0}
                                 : scorpion::Move{from_outside(card), static_cast<std::uint8_t>(pile)});
    const std::vector<Card> cards = cards_of(deals, 0);
    nb::gil_scoped_release release;
    try {
        return scorpion::Perft(rules).count(cards, moves, depth, signalled);
    } catch (const CancelledError&) {
        nb::gil_scoped_acquire acquire;
        throw nb::python_error();
    }
}

}  // namespace

NB_MODULE(_kernel, m) {
    m.doc() = "The search kernel of solstat; use it through solstat.solver.";
    nb::exception<Cancel>(m, "Cancelled");
    nb::class_<CancelFlag>(m, "CancelFlag")
        .def(nb::init<>())
        .def("set", [](CancelFlag& flag) { flag.cancelled = true; }, "Ask running searches to stop.")
        .def("is_set", [](const CancelFlag& flag) { return flag.cancelled.load(); });
    m.def("deal_solstat", &deal_solstat_many, "seeds"_a, "Deals of scheme solstat as 13 * suit + rank, one row a seed.");
    m.def("deal_pysol", &deal_pysol_many, "low"_a, "high"_a, "PySolFC's boards low + 2^64 high, one row a number.");
    m.def("deal_microsoft", &deal_microsoft_many, "numbers"_a, "Microsoft's boards, one row a number.");

    nb::class_<scorpion::Rules>(m, "ScorpionRules")
        .def(
            "__init__",
            [](scorpion::Rules* self, int ranks, int suits, int piles, int depth, int face_down_piles,
               bool any_to_empty) {
                new (self) scorpion::Rules{ranks, suits, piles, depth, face_down_piles, any_to_empty};
            },
            nb::kw_only(), "ranks"_a, "suits"_a, "piles"_a, "depth"_a, "face_down_piles"_a, "any_to_empty"_a);
    nb::class_<scorpion::Prunings>(m, "ScorpionPrunings")
        .def(
            "__init__",
            [](scorpion::Prunings* self, bool joined_stay, bool dead_test, bool persistent, bool compound, bool futile) {
                new (self) scorpion::Prunings{joined_stay, dead_test, persistent, compound, futile};
            },
            nb::kw_only(), "joined_stay"_a, "dead_test"_a, "persistent"_a, "compound"_a, "futile"_a);
    m.attr("SCORPION_SEARCH_VERSION") = scorpion::search_version;
    m.def("scorpion_solve", &scorpion_solve, "rules"_a, "deals"_a, "budget"_a, "lines"_a, "prunings"_a, "key_seed"_a,
          "backwards"_a, "wide_keys"_a, "cancel"_a.none(), "Outcomes, positions, moves, seconds and lines of deals.");
    m.def("scorpion_perft", &scorpion_perft, "rules"_a, "deals"_a, "line"_a, "depth"_a,
          "Numbers of move sequences of length 1..depth after a line of (card or -1, pile).");
}
