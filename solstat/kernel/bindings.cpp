// The one place that knows Python: arrays in, arrays out, nothing decided here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "deal.hpp"
#include "opening.hpp"
#include "outcome.hpp"
#include "pysol.hpp"
#include "scorpion_solver.hpp"
#include "spider_solver.hpp"
#include "spider_weights.hpp"
#include "wave_solver.hpp"

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

/// Deals as cards of the kernel, one at a time.
class Dealer {
  public:
    explicit Dealer(const Deals& deals) : cards_(deals.data()), size_(deals.shape(1)) {
        for (int card = 0; card < 256; ++card) card_of_[static_cast<std::size_t>(card)] = from_outside(card);
        deal_.resize(size_);
    }
    /// The cards of a deal, until the next one is asked for.
    std::span<const Card> operator()(std::size_t i) {
        for (std::size_t k = 0; k < size_; ++k) deal_[k] = card_of_[cards_[i * size_ + k]];
        return deal_;
    }

  private:
    const std::uint8_t* cards_;
    std::size_t size_;
    std::array<Card, 256> card_of_{};
    std::vector<Card> deal_;
};

/// Whether a signal has come in whose handler raised, such as Ctrl-C; the GIL is taken to ask.
bool signalled() {
    nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
}

/// Where a search shows that it is alive; memory that another process may watch.
using Pulse = std::optional<nb::ndarray<std::uint64_t, nb::shape<1>, nb::device::cpu>>;

/// A move as it comes from outside: its kind, a card or -1, a pile or -1.
using OutsideMove = std::tuple<std::string, int, int>;

scorpion::Move move_of(const OutsideMove& move, const scorpion::Rules&) {
    const auto& [kind, card, pile] = move;
    if (kind == "deal") return {scorpion::deal_stock, 0};
    return {from_outside(card), static_cast<std::uint8_t>(pile)};
}

spider::Move move_of(const OutsideMove& move, const spider::Rules&) {
    const auto& [name, card, pile] = move;
    const auto kind = name == "deal"   ? spider::Kind::deal
                      : name == "off"  ? spider::Kind::off
                      : name == "back" ? spider::Kind::back
                                       : spider::Kind::move;
    return {kind, card < 0 ? no_card : from_outside(card), static_cast<std::uint8_t>(pile)};
}

wave::Move move_of(const OutsideMove& move, const wave::Rules&) {
    const auto& [kind, card, pile] = move;
    return {from_outside(card), static_cast<std::uint8_t>(pile)};
}

using OutsideLine = std::vector<OutsideMove>;

template <class Rules>
auto moves_of(const OutsideLine& line, const Rules& rules) {
    std::vector<decltype(move_of(line[0], rules))> moves;
    for (const OutsideMove& move : line) moves.push_back(move_of(move, rules));
    return moves;
}

/// For each deal the moves that were played already, or nothing for none.
template <class Rules>
auto lines_of(const std::vector<OutsideLine>& lines, const Deals& deals, const Rules& rules) {
    if (!lines.empty() && lines.size() != deals.shape(0)) throw std::invalid_argument("a line for each deal");
    std::vector<decltype(moves_of(lines[0], rules))> played;
    for (const OutsideLine& line : lines) played.push_back(moves_of(line, rules));
    return played;
}

/// Solves every deal; the GIL is taken only to ask whether a signal has come in.
template <class Solver>
nb::tuple solve_many(Solver& solver, Deals deals, const std::vector<std::vector<typename Solver::Move>>& played,
                     std::int64_t budget, bool lines, CancelFlag* cancel, const Pulse& pulse) {
    const std::size_t n = deals.shape(0);
    std::vector<std::uint8_t> outcome(n), stage(n);
    std::vector<std::int64_t> positions(n);
    std::vector<std::int32_t> moves(n);
    std::vector<double> seconds(n);
    std::vector<std::optional<std::string>> line(lines ? n : 0);
    const std::vector<typename Solver::Move> none;
    Dealer deal(deals);
    std::uint64_t* const beat = pulse ? pulse->data() : nullptr;
    bool interrupted = false;
    {
        nb::gil_scoped_release release;
        const Cancelled cancelled = [&] {
            if (beat) std::atomic_ref(*beat).fetch_add(1, std::memory_order_relaxed);
            if (cancel && cancel->cancelled.load(std::memory_order_relaxed)) return true;
            return interrupted = signalled();
        };
        try {
            using Clock = std::chrono::steady_clock;
            auto begin = Clock::now(), last_asked = begin;
            for (std::size_t i = 0; i < n; ++i) {
                if (begin - last_asked > std::chrono::milliseconds(10)) {
                    last_asked = begin;
                    if (cancelled()) throw CancelledError{};
                }
                const Opening<typename Solver::Move> from(deal(i), played.empty() ? none : played[i]);
                Verdict verdict = solver.solve(from, budget, cancelled, lines);
                outcome[i] = static_cast<std::uint8_t>(verdict.outcome);
                stage[i] = verdict.stage;
                positions[i] = verdict.positions;
                moves[i] = verdict.moves;
                if (lines && verdict.outcome == Outcome::won) line[i] = std::move(verdict.line);
                const auto end = Clock::now();
                seconds[i] = std::chrono::duration<double>(end - begin).count();
                begin = end;
            }
        } catch (const CancelledError&) {
            nb::gil_scoped_acquire acquire;
            if (interrupted) throw nb::python_error();
            throw Cancel();
        }
    }
    return nb::make_tuple(column(std::move(outcome)), column(std::move(stage)), column(std::move(positions)),
                          column(std::move(moves)), column(std::move(seconds)), line);
}

/// How to search, whatever the game.
struct Search {
    std::int64_t budget;
    bool lines, plain;
    std::vector<std::string> prunings;
    std::uint64_t key_seed;
    bool backwards, wide_keys;

    bool prunes(const char* name) const { return std::find(prunings.begin(), prunings.end(), name) != prunings.end(); }
};

/// Solves with a solver of the key width that was asked for.
template <template <class> class Solver, class Rules, class Method>
nb::tuple solve_with(const Search& search, Deals deals, const std::vector<OutsideLine>& played, CancelFlag* cancel,
                     const Pulse& pulse, const Rules& rules, const Method& method) {
    const auto lines = lines_of(played, deals, rules);
    if (search.wide_keys) {
        Solver<Key128> solver(rules, method, search.key_seed, search.backwards);
        return solve_many(solver, deals, lines, search.budget, search.lines, cancel, pulse);
    }
    Solver<Key64> solver(rules, method, search.key_seed, search.backwards);
    return solve_many(solver, deals, lines, search.budget, search.lines, cancel, pulse);
}

nb::tuple scorpion_solve(const scorpion::Rules& rules, Deals deals, const std::vector<OutsideLine>& played,
                         const Search& search, CancelFlag* cancel, const Pulse& pulse) {
    const scorpion::Prunings prunings{search.prunes("joined_stay"), search.prunes("dead_test"),
                                      search.prunes("persistent"), search.prunes("compound"),
                                      search.prunes("futile")};
    return solve_with<scorpion::Solver>(search, deals, played, cancel, pulse, rules, prunings);
}

nb::tuple spider_solve(const spider::Rules& rules, Deals deals, const std::vector<OutsideLine>& played,
                       const Search& search, CancelFlag* cancel, const Pulse& pulse,
                       const std::optional<std::vector<int>>& weights) {
    spider::Weights used = spider::tuned_weights;
    if (weights) {
        if (weights->size() != 2 * spider::features) throw std::invalid_argument("a weight for each feature and phase");
        std::copy(weights->begin(), weights->begin() + spider::features, used.phase[0].begin());
        std::copy(weights->begin() + spider::features, weights->end(), used.phase[1].begin());
    }
    const spider::Method method{search.plain, search.prunes("dead_test"), used};
    return solve_with<spider::Solver>(search, deals, played, cancel, pulse, rules, method);
}

nb::tuple wave_solve(const wave::Rules& rules, Deals deals, const std::vector<OutsideLine>& played,
                     const Search& search, CancelFlag* cancel, const Pulse& pulse) {
    const wave::Prunings sets{search.prunes("closure"), search.prunes("commit"), search.prunes("unchecked"),
                              search.prunes("hand_down"), search.prunes("covered")};
    const wave::Method method{search.plain, search.prunes("joined_stay"), sets};
    return solve_with<wave::Solver>(search, deals, played, cancel, pulse, rules, method);
}

template <class Perft, class Rules>
std::vector<std::uint64_t> perft(const Rules& rules, Deals deals, const OutsideLine& line, int depth) {
    const auto moves = moves_of(line, rules);
    Dealer deal(deals);
    nb::gil_scoped_release release;
    try {
        return Perft(rules).count(deal(0), moves, depth, signalled);
    } catch (const CancelledError&) {
        nb::gil_scoped_acquire acquire;
        throw nb::python_error();
    }
}

bool wave_replays(const wave::Rules& rules, Deals deals, const OutsideLine& line) {
    return wave::replays(rules, Dealer(deals)(0), moves_of(line, rules));
}

/// What no search should ever do, for tests of those who watch over it.
void crash() { std::raise(SIGSEGV); }

void hang() {
    nb::gil_scoped_release release;
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

std::vector<bool> spider_dead(const spider::Rules& rules, Deals deals, const OutsideLine& line) {
    return spider::dead_along(rules, Dealer(deals)(0), moves_of(line, rules));
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
    nb::class_<spider::Rules>(m, "SpiderRules")
        .def(
            "__init__",
            [](spider::Rules* self, int ranks, int suits, int piles, int depth, bool triangle, bool onto_empty,
               const std::string& finished_runs) {
                const auto finished = finished_runs == "leave"      ? spider::Finished::leave
                                      : finished_runs == "optional" ? spider::Finished::optional
                                                                    : spider::Finished::come_back;
                new (self) spider::Rules{ranks, suits, piles, depth, triangle, onto_empty, finished};
            },
            nb::kw_only(), "ranks"_a, "suits"_a, "piles"_a, "depth"_a, "triangle"_a, "onto_empty"_a,
            "finished_runs"_a);
    nb::class_<wave::Rules>(m, "WaveRules")
        .def(
            "__init__",
            [](wave::Rules* self, int ranks, int suits, int reserves, int columns, bool runs, bool build,
               bool fill_empty) {
                new (self) wave::Rules{ranks, suits, reserves, columns, runs, build, fill_empty};
            },
            nb::kw_only(), "ranks"_a, "suits"_a, "reserves"_a, "columns"_a, "runs"_a, "build"_a, "fill_empty"_a);
    nb::class_<Search>(m, "Search")
        .def(
            "__init__",
            [](Search* self, std::int64_t budget, bool lines, bool plain, std::vector<std::string> prunings,
               std::uint64_t key_seed, bool backwards, bool wide_keys) {
                new (self) Search{budget, lines, plain, std::move(prunings), key_seed, backwards, wide_keys};
            },
            nb::kw_only(), "budget"_a, "lines"_a, "plain"_a, "prunings"_a, "key_seed"_a, "backwards"_a,
            "wide_keys"_a);
    m.attr("SCORPION_SEARCH_VERSION") = scorpion::search_version;
    m.def("scorpion_solve", &scorpion_solve, "rules"_a, "deals"_a, "played"_a, "search"_a, "cancel"_a.none(), "pulse"_a.none(),
          "Outcomes, stages, positions, moves, seconds and lines of deals.");
    m.def("scorpion_perft", &perft<scorpion::Perft, scorpion::Rules>, "rules"_a, "deals"_a, "line"_a, "depth"_a,
          "Numbers of move sequences of length 1..depth after a line of (kind, card or -1, pile or -1).");
    m.attr("SPIDER_SEARCH_VERSION") = spider::search_version;
    m.attr("SPIDER_FEATURES") = nb::cast(std::vector<std::string>(spider::feature_names.begin(), spider::feature_names.end()));
    m.attr("SPIDER_WEIGHTS") = nb::cast(std::vector<std::vector<int>>{
        {spider::tuned_weights.phase[0].begin(), spider::tuned_weights.phase[0].end()},
        {spider::tuned_weights.phase[1].begin(), spider::tuned_weights.phase[1].end()}});
    m.def("spider_solve", &spider_solve, "rules"_a, "deals"_a, "played"_a, "search"_a, "cancel"_a.none(), "pulse"_a.none(),
          "weights"_a.none() = nb::none(), "As scorpion_solve; other weights of the score, for tuning.");
    m.def("spider_perft", &perft<spider::Perft, spider::Rules>, "rules"_a, "deals"_a, "line"_a, "depth"_a,
          "As scorpion_perft.");
    m.def("spider_dead", &spider_dead, "rules"_a, "deals"_a, "line"_a,
          "Whether the dead-position test says so of each position along a legal line.");
    m.attr("WAVE_SEARCH_VERSION") = wave::search_version;
    m.def("wave_solve", &wave_solve, "rules"_a, "deals"_a, "played"_a, "search"_a, "cancel"_a.none(), "pulse"_a.none(),
          "As scorpion_solve.");
    m.def("wave_perft", &perft<wave::Perft, wave::Rules>, "rules"_a, "deals"_a, "line"_a, "depth"_a,
          "As scorpion_perft.");
    m.def("wave_replays", &wave_replays, "rules"_a, "deals"_a, "line"_a,
          "Whether the kernel's referee says that a line wins, for tests.");
    m.def("crash", &crash, "Crash, for tests of who survives it.");
    m.def("hang", &hang, "Never return and heed no signal's handler, for tests of who notices.");
}
