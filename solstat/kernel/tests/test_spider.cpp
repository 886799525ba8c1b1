// Tests of the family `spider` that need the kernel's insides, or sanitizers.
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "../spider_solver.hpp"
#include "spider_walk.hpp"

using namespace solstat;
using namespace solstat::test;
using namespace solstat::spider;

namespace {

using Line = std::vector<Move>;

template <class Key>
void walk(const Rules& rules, Draw& pick, int length, Met& met) {
    const typename Board<Key>::Keys keys(static_cast<std::uint64_t>(pick(1000)));
    Walk<Key> walk(rules, keys, some_deck(rules.ranks, rules.suits, pick));
    for (int step = 0; step < length; ++step) {
        walk.check();
        const auto moves = walk.moves();
        if (moves.empty()) return;
        walk.play(some_move(walk.at(), moves, pick), met);
    }
    walk.check();
}

void board_agrees_with_the_referee() {
    Draw pick{SplitMix64(11)};
    Met met;
    for (int i = 0; i < 4000; ++i) {
        const Rules rules = some_spider_rules(pick, i % 4);
        if (i % 2) walk<Key64>(rules, pick, 40, met);
        else walk<Key128>(rules, pick, 40, met);
    }
    CHECK(met.won > 300 && met.offs > 1000 && met.backs > 1000 && met.left > 300);
    CHECK(met.dealt > 1000 && met.dealt_short > 1000 && met.dealt_onto_empty > 300 && met.left_on_deal > 20);
}

/// A position in full.
std::string in_full(const Position<Key64>& at) {
    std::string all(at.below.begin(), at.below.end());
    all.append(at.top.begin(), at.top.end());
    for (const Set set : {at.up, at.gone, at.stock}) all.append(std::to_string(set)).push_back('/');
    return all;
}

/// The same for all positions that differ only by like piles.
std::string image(const Board<Key64>& board, const Position<Key64>& at) {
    std::vector<std::string> piles;
    int marked = 0;
    for (int p = 0; p < board.rules().piles; ++p) {
        std::string& text = piles.emplace_back("|");
        for (const Card card : pile(at, p)) text += card_text(card) + (at.up & bit(card) ? "" : "?");
        marked += board.marked(at, p);
    }
    std::sort(piles.begin() + marked, piles.end());
    std::string all = std::to_string(at.stock) + "/" + std::to_string(at.gone);
    for (const auto& text : piles) all += text;
    return all;
}

/// All positions of a game, if they are few.
struct Explored {
    bool all = true, won = false;
    std::size_t visited = 0;
    std::map<Key64, std::string> positions;  ///< keys, and the images that they are keys of
};

/// Visits the positions of a game, or with `by_key` one of those with the same key, up to a limit.
Explored explored(Board<Key64>& board, std::span<const Card> deal, bool by_key, std::size_t limit) {
    Explored found;
    std::set<std::string> seen, images;
    std::vector<Position<Key64>> todo;
    const auto visit = [&](const Position<Key64>& at) {
        if (!seen.insert(by_key ? std::to_string(at.key) : in_full(at)).second) return;
        const std::string here = image(board, at);
        const auto [known, fresh] = found.positions.emplace(at.key, here);
        CHECK(known->second == here);                // one key, one image
        CHECK(images.insert(here).second == fresh);  // one image, one key
        found.won |= board.won(at);
        todo.push_back(at);
    };
    visit(board.start(deal));
    std::vector<Move> moves;
    while (!todo.empty() && seen.size() <= limit) {
        const Position<Key64> at = todo.back();
        todo.pop_back();
        moves.clear();
        board.all_moves(at, moves);
        for (const Move move : moves) {
            Position<Key64> next = at;
            board.play(next, move);
            visit(next);
        }
    }
    found.visited = seen.size();
    found.all = todo.empty();
    return found;
}

/// Positions have the same key if and only if they differ by like piles alone, and then the same
/// positions can be reached from them.
void like_piles_are_one() {
    Draw pick{SplitMix64(12)};
    const Board<Key64>::Keys keys(1);
    int won = 0, lost = 0, swapped = 0;
    for (int i = 0; i < 600; ++i) {
        const Rules rules = some_spider_rules(pick, true);
        if (rules.deck() > 12) continue;
        Board<Key64> board(rules, keys);
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        const Explored exact = explored(board, deal, false, 400);
        if (!exact.all) continue;
        const Explored images = explored(board, deal, true, 400);
        CHECK(images.all && images.won == exact.won);
        CHECK(images.positions == exact.positions);
        swapped += images.visited < exact.visited;
        (exact.won ? won : lost)++;
    }
    CHECK(won > 50 && lost > 50 && swapped > 50);
}

/// A search for tests, depth first, moves in random order: its lines are long and wind about.
struct Search {
    Board<Key64>& board;
    Draw& pick;
    std::size_t limit;
    Line line{};
    std::unordered_set<Key64> seen{};

    Outcome run(const Position<Key64>& at) {
        if (board.won(at)) return Outcome::won;
        if (!seen.insert(at.key).second) return Outcome::lost;
        if (seen.size() > limit) return Outcome::unsettled;
        Line moves;
        board.all_moves(at, moves);
        for (; !moves.empty(); moves.pop_back()) {
            std::swap(moves[static_cast<std::size_t>(pick(static_cast<int>(moves.size())))], moves.back());
            Position<Key64> next = at;
            board.play(next, moves.back());
            line.push_back(moves.back());
            if (const Outcome outcome = run(next); outcome != Outcome::lost) return outcome;
            line.pop_back();
        }
        return Outcome::lost;
    }
};

/// What is won stays so when runs need not leave, when they may come back, when empty piles may be
/// dealt onto.
void options_that_allow_more_lose_nothing() {
    Draw pick{SplitMix64(13)};
    const Board<Key64>::Keys keys(1);
    int optional = 0, come_back = 0, onto_empty = 0;
    for (int i = 0; i < 2000; ++i) {
        Rules rules = some_spider_rules(pick, true);
        if (rules.deck() > 16) continue;
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        Outcome outcome[3][2];
        for (int finished = 0; finished < 3; ++finished)
            for (int onto = 0; onto < 2; ++onto) {
                rules.finished = static_cast<Finished>(finished);
                rules.onto_empty = onto;
                Board<Key64> board(rules, keys);
                outcome[finished][onto] = Search{board, pick, 500}.run(board.start(deal));
            }
        const auto gains = [](Outcome with_less, Outcome with_more) {
            CHECK(!(with_less == Outcome::won && with_more == Outcome::lost));
            return with_less == Outcome::lost && with_more == Outcome::won;
        };
        for (int onto = 0; onto < 2; ++onto) {
            optional += gains(outcome[0][onto], outcome[1][onto]);
            come_back += gains(outcome[1][onto], outcome[2][onto]);
        }
        for (const auto& [without, with] : outcome) onto_empty += gains(without, with);
    }
    CHECK(optional > 0 && come_back > 0 && onto_empty > 0);
}

/// A line with moves put in that lead back to the same position, or to an image of it; the rest of
/// the line is then played by its links.
Line with_detour(Board<Key64>& board, std::span<const Card> deal, const Line& line, std::size_t at,
                 const Line& detour) {
    Game<Key64> straight(board), winding(board);
    straight.start(deal);
    winding.start(deal);
    Line out;
    const auto play = [&](Move move) {
        winding.play(move);
        out.push_back(move);
    };
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (i == at)
            for (const Move move : detour) play(move);
        play(i < at ? line[i] : winding.move_of(straight.link(line[i])));
        straight.play(line[i]);
    }
    return out;
}

/// One or two moves that lead from a position of the line to itself or to an image of itself.
std::vector<Line> detours(Board<Key64>& board, std::span<const Card> deal, const Line& line, std::size_t at) {
    Game<Key64> game(board);
    game.start(deal);
    for (std::size_t i = 0; i < at; ++i) game.play(line[i]);
    const Key64 here = game.key();
    std::vector<Line> found;
    Line away;
    game.all_moves(away);
    for (const Move move : away)
        game.trying(move, [&] {
            if (game.key() == here) found.push_back({move});
            Line back;
            game.all_moves(back);
            for (const Move home : back)
                if (game.key_after(home) == here) found.push_back({move, home});
        });
    return found;
}

/// No position of a line comes twice, and none is one move away from any but the one before.
void check_without_detours(Board<Key64>& board, std::span<const Card> deal, const Line& line) {
    Game<Key64> game(board);
    game.start(deal);
    std::set<Key64> known{game.key()};
    for (const Move move : line) {
        Line moves;
        game.all_moves(moves);
        std::set<Key64> near;
        for (const Move other : moves) near.insert(game.key_after(other));
        game.play(move);
        CHECK(!known.contains(game.key()));
        known.merge(near);
    }
}

/// Lines of a rambling search still win when shortened, also when they go round in circles.
void lines_lose_their_detours() {
    Draw pick{SplitMix64(14)};
    const Board<Key64>::Keys keys(1);
    const Board<Key128>::Keys wide_keys(1);
    std::size_t lines = 0, circles = 0, images = 0, cut = 0;
    for (int i = 0; i < 1500; ++i) {
        const Rules rules = some_spider_rules(pick, true);
        if (rules.deck() > 20) continue;
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        Board<Key64> board(rules, keys);
        Board<Key128> wide_board(rules, wide_keys);
        Search search{board, pick, 200};
        if (search.run(board.start(deal)) != Outcome::won) continue;
        const Line& rambling = search.line;
        const auto check = [&](const Line& line) {
            CHECK(replays(rules, deal, line));
            const Line shorter = shorten(board, deal, line);
            CHECK(replays(rules, deal, shorter) && shorter.size() <= rambling.size());
            CHECK(shorten(wide_board, deal, line) == shorter);
            check_without_detours(board, deal, shorter);
            return shorter;
        };
        ++lines;
        cut += check(rambling).size() < rambling.size();
        if (rambling.empty()) continue;
        for (int k = 0; k < 3; ++k) {
            const auto at = static_cast<std::size_t>(pick(static_cast<int>(rambling.size())));
            const auto found = detours(board, deal, rambling, at);
            if (found.empty()) continue;
            const Line& detour = found[static_cast<std::size_t>(pick(static_cast<int>(found.size())))];
            check(with_detour(board, deal, rambling, at, detour));
            (detour.size() == 1 ? images : circles)++;
        }
    }
    CHECK(lines > 100 && cut > 100 && circles > 100 && images > 20);
}

void sequences_of_the_referee(const Rules& rules, const Referee& referee, std::size_t ply,
                              std::vector<std::uint64_t>& counts) {
    for (const auto& [kind, card, to] : allowed(rules, referee)) {
        ++counts[ply];
        if (ply + 1 == counts.size()) continue;
        Referee next = referee;
        CHECK(next.play({kind, card, static_cast<std::uint8_t>(to)}));
        sequences_of_the_referee(rules, next, ply + 1, counts);
    }
}

/// Perft after random moves, against counts of what the referee allows; illegal lines are refused.
void perft_counts_what_the_referee_allows() {
    Draw pick{SplitMix64(15)};
    const Board<Key64>::Keys keys(1);
    std::uint64_t counted = 0;
    for (int i = 0; i < 150; ++i) {
        const Rules rules = some_spider_rules(pick, i % 4);
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        Walk<Key64> walk(rules, keys, deal);
        Met met;
        Line line;
        for (int step = pick(12); step > 0; --step) {
            const auto moves = walk.moves();
            if (moves.empty()) break;
            line.push_back(some_move(walk.at(), moves, pick));
            walk.play(line.back(), met);
        }
        std::vector<std::uint64_t> counts(i % 4 ? 3 : 2);
        sequences_of_the_referee(rules, walk.referee, 0, counts);
        Perft perft(rules);
        CHECK(perft.count(deal, line, static_cast<int>(counts.size()), {}) == counts);
        counted += counts.back();
        line.push_back({Kind::back, 0, max_piles});  // there is no such pile
        bool refused = false;
        try {
            perft.count(deal, line, 1, {});
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        CHECK(refused);
    }
    CHECK(counted > 10'000);
}

std::vector<Card> full_deal(std::uint64_t seed) {
    std::vector<Card> deal;
    for (const auto card : deal_solstat(seed)) deal.push_back(from_outside(card));
    return deal;
}

void perft_can_be_stopped() {
    bool stopped = false;
    try {
        Perft({}).count(full_deal(1), {}, 100, [] { return true; });
    } catch (const CancelledError&) {
        stopped = true;
    }
    CHECK(stopped);
}

/// Which card of a deal lies where, in the first and the last pile of both layouts.
void layouts_are_as_described() {
    const auto deal = full_deal(2);
    const Board<Key64>::Keys keys(1);
    const auto dealt = [&](bool triangle, int p) {
        Board<Key64> board({.depth = triangle ? 7 : 3, .triangle = triangle}, keys);
        const auto at = board.start(deal);
        CHECK(board.stock_left(at) == (triangle ? 24 : 31));
        std::vector<int> places;
        for (const Card card : pile(at, p))
            places.push_back(static_cast<int>(std::find(deal.begin(), deal.end(), card) - deal.begin()));
        return places;
    };
    CHECK(dealt(false, 0) == std::vector({0, 7, 14}) && dealt(false, 6) == std::vector({6, 13, 20}));
    CHECK(dealt(true, 0) == std::vector({21}) && dealt(true, 6) == std::vector({5, 10, 14, 17, 19, 20, 27}));
}

}  // namespace

int main() {
    int passed = 0;
    for (const auto test : {layouts_are_as_described, board_agrees_with_the_referee, like_piles_are_one,
                            options_that_allow_more_lose_nothing, lines_lose_their_detours,
                            perft_counts_what_the_referee_allows, perft_can_be_stopped}) {
        test();
        ++passed;
    }
    std::printf("%d tests of family spider passed\n", passed);
}
