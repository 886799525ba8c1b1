// Tests of what orders and prunes the search of family `spider`: the score, the dead-position test,
// and moves that can be undone.
#include <cstdio>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../spider_dead.hpp"
#include "../spider_score.hpp"
#include "spider_relaxed.hpp"
#include "spider_walk.hpp"

using namespace solstat;
using namespace solstat::test;
using namespace solstat::spider;

namespace {

const Board<Key64>::Keys keys(1);

using Piles = std::vector<std::vector<Card>>;

/// A table as it is told, with `dealt` cards of the stock dealt.
Position<Key64> laid_out(const Board<Key64>& board, const Piles& piles, Set down, int dealt) {
    Position<Key64> at;
    at.top.fill(no_card);
    at.below.fill(no_card);
    at.dealt = static_cast<std::uint8_t>(dealt);
    for (std::size_t i = at.dealt; i < board.stock().size(); ++i) at.stock |= bit(board.stock()[i]);
    Set table = 0;
    for (std::size_t p = 0; p < piles.size(); ++p) {
        for (std::size_t i = 0; i < piles[p].size(); ++i) {
            const Card card = piles[p][i];
            table |= bit(card);
            at.below[card] = i ? piles[p][i - 1] : static_cast<Card>(base);
            if (i == 0) {
                at.bases |= bit(card);
            } else if (const Card under = piles[p][i - 1]; rank_of(under) == rank_of(card) + 1) {
                at.hosted |= bit(card);
                at.hosts |= bit(under);
                if (under == card + 1 && !(down & (bit(card) | bit(under)))) at.joined |= bit(card);
            }
        }
        if (piles[p].empty()) continue;
        at.top[p] = piles[p].back();
        at.tops |= bit(at.top[p]);
    }
    at.up = table & ~down;
    at.gone = board.deck() & ~table & ~at.stock;
    at.key = board.recomputed_key(at);
    check_masks(board, at, down);
    return at;
}

/// A random table with many sequences, whether it can come about in a game or not.
Position<Key64> some_table(Board<Key64>& board, Draw& pick) {
    const Rules& rules = board.rules();
    const auto deal = some_deck(rules.ranks, rules.suits, pick);
    board.start(deal);
    const int stock = static_cast<int>(board.stock().size());
    const int left = std::min(pick(2 * rules.piles + 1), stock);
    const auto first = deal.end() - left;
    Set gone = 0;  // suits, in full or, if their cards may come back, but for the lowest
    for (int suit = 0; suit < rules.suits; ++suit) {
        const int back = rules.finished == Finished::come_back ? pick(rules.ranks) : 0;
        const bool waits = std::any_of(first, deal.end(), [&](Card card) { return suit_of(card) == suit; });
        if (!waits && pick(2)) gone |= board.suit_set(suit) >> (16 * suit + back) << (16 * suit + back);
    }
    std::vector<Card> cards(deal.begin(), first);
    if (pick(2)) std::reverse(cards.begin(), cards.end());  // sorted decks ascend
    Piles piles(static_cast<std::size_t>(rules.piles));
    for (const Card card : cards) {
        if (gone & bit(card)) continue;
        auto* pile = &piles[static_cast<std::size_t>(pick(rules.piles))];
        for (auto& other : piles)
            if (pick(2) && !other.empty() && other.back() == card + 1) pile = &other;
        pile->push_back(card);
    }
    Set down = 0;
    for (const auto& pile : piles)
        for (std::size_t i = 0; i + 1 < pile.size() && pick(3); ++i) down |= bit(pile[i]);
    const auto at = laid_out(board, piles, down, stock - left);
    for (int suit = 0; suit < rules.suits; ++suit) {  // no whole run lies where runs leave at once
        const Set run = board.suit_set(suit);
        if (rules.finished == Finished::leave && (at.joined & run) == (run & ~board.kings()) && (at.up & run) == run)
            return some_table(board, pick);
    }
    return at;
}

/// Small rules, with up to so many cards.
Rules some_small_rules(Draw& pick, int cards) {
    Rules rules;
    do rules = some_spider_rules(pick, true);
    while (rules.deck() > cards);
    return rules;
}

/// Visits the positions of a random game.
template <class Visit>
void wander(const Rules& rules, Draw& pick, int length, Visit visit) {
    Board<Key64> board(rules, keys);
    Position<Key64> at = board.start(some_deck(rules.ranks, rules.suits, pick));
    std::vector<Move> moves;
    for (int step = 0; step < length; ++step) {
        moves.clear();
        board.all_moves(at, moves);
        visit(board, at, moves);
        if (moves.empty()) return;
        board.play(at, some_move(at, moves, pick));
    }
}

void ranks_are_counted() {
    Draw pick{SplitMix64(21)};
    for (int i = 0; i < 10'000; ++i) {
        const Set some = pick.next() & pick.next(), others = pick.next() & (pick(2) ? some : pick.next());
        const auto a = RankCounts::of(some), b = RankCounts::of(others);
        int more = 0, excess = 0;
        for (int rank = 0; rank < 16; ++rank) {
            int here = 0, there = 0;
            for (int suit = 0; suit < 4; ++suit) {
                here += (some >> (16 * suit + rank)) & 1;
                there += (others >> (16 * suit + rank)) & 1;
            }
            for (int k = 0; k < 4; ++k) CHECK((a.more_than[static_cast<std::size_t>(k)] >> rank & 1) == (here > k));
            more |= (here > there) << rank;
            excess += std::max(0, here - there);
        }
        CHECK(a.exceeding(b) == more);
        CHECK(a.excess(b) == excess);
    }
}

/// The score that a move is given is that of the position it leads to.
void moves_are_scored_as_what_they_lead_to() {
    Draw pick{SplitMix64(22)};
    int scored = 0;
    for (int i = 0; i < 1500; ++i) {
        Weights weights;
        for (auto& phase : weights.phase)
            for (int& weight : phase) weight = pick(2001) - 1000;
        const auto check = [&](const Board<Key64>& board, const Position<Key64>& at, const std::vector<Move>& moves) {
            Score<Key64> before(board, weights), after(board, weights);
            before(at);
            for (const Move move : moves) {
                if (move.kind != Kind::move || board.completes(at, move)) continue;
                Position<Key64> next = at;
                board.play(next, move);
                CHECK(before.after(move) == after(next));
                ++scored;
            }
        };
        const Rules rules = some_spider_rules(pick, i % 3);
        wander(rules, pick, 30, check);
        Board<Key64> board(rules, keys);
        const auto at = some_table(board, pick);
        std::vector<Move> moves;
        board.all_moves(at, moves);
        check(board, at, moves);
    }
    CHECK(scored > 50'000);
}

/// How often the dead-position test was compared with its definition.
struct Compared {
    int dead = 0, alive = 0, few = 0, given_up = 0;

    void operator()(const Board<Key64>& board, const Position<Key64>& at) {
        DeadTest<Key64> test(board);
        const Rules& rules = board.rules();
        const bool is_dead = test(at);
        if (rules.finished != Finished::come_back && !rules.onto_empty && at.stock &&
            std::popcount(board.on_table(at)) < rules.piles) {
            CHECK(is_dead);
            ++few;
            return;
        }
        const auto truth = RelaxedGame(board, at).dead(20'000);
        if (!truth || test.gave_up()) {
            CHECK(!test.gave_up() || !is_dead);
            ++given_up;
            return;
        }
        CHECK(is_dead == *truth);
        (is_dead ? dead : alive)++;
    }
};

void the_dead_test_decides_the_relaxed_game() {
    Draw pick{SplitMix64(23)};
    Compared compared;
    for (int i = 0; i < 1000; ++i) {
        wander(some_small_rules(pick, 14), pick, 20,
               [&](const auto& board, const auto& at, const auto&) { compared(board, at); });
        for (int k = 0; k < 40; ++k) {
            Board<Key64> board(some_small_rules(pick, 16), keys);
            compared(board, some_table(board, pick));
        }
    }
    CHECK(compared.dead > 10'000 && compared.alive > 20'000 && compared.few > 1000);
    CHECK(compared.given_up < 10);
}

std::vector<Card> cards_of(std::string_view text) {
    std::vector<Card> cards;
    for (; text.size() >= 2; text.remove_prefix(std::min<std::size_t>(3, text.size())))
        cards.push_back(static_cast<Card>(16 * std::string_view("CSHD").find(text[1]) +
                                          std::string_view("A23456789TJQK").find(text[0])));
    return cards;
}

/// The same cards were lifted, but one suit left before the next deal held it fast: two states, not one.
void suits_that_left_before_the_next_deal_are_no_longer_held() {
    const Rules rules{.ranks = 4, .piles = 3, .depth = 3, .triangle = true, .onto_empty = true};
    Board<Key64> board(rules, keys);
    board.start(cards_of("AC 4C 2S 3S 4H AD AS 4S AH 2H 3H 2C 3C 2D 3D 4D"));
    const Piles piles{cards_of("4H"), cards_of("2S 4S AH 2H 3D"), cards_of("AD 3S AS 3H 2D")};
    const auto at = laid_out(board, piles, bit(17), 9);
    CHECK(RelaxedGame(board, at).dead(20'000) == false);
    CHECK(!DeadTest<Key64>(board)(at));
}

/// A group is no shorter than the cards that are joined to it: there is no room for a part of it.
void what_is_joined_goes_along() {
    const Rules rules{.ranks = 5, .suits = 2, .piles = 3, .depth = 1, .onto_empty = true};
    Board<Key64> board(rules, keys);
    board.start(cards_of("AC 2C 4C 5C AS 3S 2S 3C 4S 5S"));
    const auto at = laid_out(board, {cards_of("AC"), cards_of("2C 4C 5C AS"), cards_of("3S 2S")}, 0, 4);
    CHECK(RelaxedGame(board, at).dead(20'000) == true);
    CHECK(DeadTest<Key64>(board)(at));
}

/// Every position of a game, and whether it can be won, if they are few.
struct Explored {
    std::vector<Position<Key64>> positions;
    std::vector<bool> winnable;
    bool all = true;

    Explored(const Board<Key64>& board, const Position<Key64>& start, std::size_t limit) {
        std::unordered_map<Key64, std::size_t> number;
        std::vector<std::vector<std::size_t>> before;
        const auto visit = [&](const Position<Key64>& at) {
            const auto [place, fresh] = number.emplace(at.key, positions.size());
            if (fresh) {
                positions.push_back(at);
                before.emplace_back();
            }
            return place->second;
        };
        visit(start);
        std::vector<Move> moves;
        for (std::size_t i = 0; i < positions.size(); ++i) {
            if (positions.size() > limit) {
                all = false;
                return;
            }
            moves.clear();
            board.all_moves(positions[i], moves);
            for (const Move move : moves) {
                Position<Key64> next = positions[i];
                board.play(next, move);
                before[visit(next)].push_back(i);
            }
        }
        winnable.resize(positions.size());
        std::vector<std::size_t> todo;
        for (std::size_t i = 0; i < positions.size(); ++i)
            if (board.won(positions[i])) todo.push_back(i);
        while (!todo.empty()) {
            const std::size_t i = todo.back();
            todo.pop_back();
            if (winnable[i]) continue;
            winnable[i] = true;
            todo.insert(todo.end(), before[i].begin(), before[i].end());
        }
    }
};

/// No position from which a win can be reached is called dead.
void what_can_be_won_is_not_dead() {
    Draw pick{SplitMix64(24)};
    int games = 0, won = 0, lost = 0, dead = 0;
    for (int i = 0; i < 6000; ++i) {
        const Rules rules = some_small_rules(pick, 16);
        Board<Key64> board(rules, keys);
        const auto start = pick(2) ? board.start(some_deck(rules.ranks, rules.suits, pick)) : some_table(board, pick);
        const Explored explored(board, start, 600);
        if (!explored.all) continue;
        ++games;
        DeadTest<Key64> test(board);
        for (std::size_t k = 0; k < explored.positions.size(); ++k) {
            const bool is_dead = test(explored.positions[k]);
            CHECK(!(is_dead && explored.winnable[k]));
            (explored.winnable[k] ? won : lost)++;
            dead += is_dead;
        }
    }
    CHECK(games > 3000 && won > 10'000 && lost > 10'000);
    CHECK(dead > lost / 2 && dead < lost);
}

/// What the search takes for a move that can be undone: another move leads back.
void one_move_leads_back() {
    Draw pick{SplitMix64(25)};
    int undone = 0;
    for (int i = 0; i < 1500; ++i)
        wander(some_spider_rules(pick, i % 3), pick, 30, [&](const auto& board, const auto& at, const auto& moves) {
            for (const Move move : moves) {
                if (!board.undoable(at, move)) continue;
                Position<Key64> there = at;
                board.play(there, move);
                std::vector<Move> home;
                board.all_moves(there, home);
                const Move back{Kind::move, move.card, move.from, move.to};
                CHECK(std::find(home.begin(), home.end(), back) != home.end());
                board.play(there, back);
                CHECK(there == at);
                ++undone;
            }
        });
    CHECK(undone > 5000);
}

}  // namespace

int main() {
    int passed = 0;
    for (const auto test :
         {ranks_are_counted, moves_are_scored_as_what_they_lead_to, the_dead_test_decides_the_relaxed_game,
          suits_that_left_before_the_next_deal_are_no_longer_held, what_is_joined_goes_along,
          what_can_be_won_is_not_dead, one_move_leads_back}) {
        test();
        ++passed;
    }
    std::printf("%d tests of the pruning of family spider passed\n", passed);
}
