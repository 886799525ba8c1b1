// The referee of family `wave` against a table that lists all moves from the rules, and by hand.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "../wave_referee.hpp"
#include "check.hpp"

using namespace solstat;
using namespace solstat::test;
using namespace solstat::wave;

namespace {

/// The table as its definition in games/ has it, slow and plain: it lists moves, the referee judges them.
struct Table {
    Table(const Rules& r, const std::vector<Card>& deal) : rules(r), piles(static_cast<std::size_t>(r.piles())) {
        for (std::size_t i = 0; i < deal.size(); ++i)
            piles[static_cast<std::size_t>(rules.columns) + i % static_cast<std::size_t>(rules.reserves)].push_back(deal[i]);
    }

    bool column(std::size_t p) const { return p < static_cast<std::size_t>(rules.columns); }

    bool won() const {
        for (std::size_t p = 0; p < piles.size(); ++p)
            if (!column(p) && !piles[p].empty()) return false;
        return true;
    }

    std::vector<Move> moves() const {
        std::vector<Move> all;
        for (std::size_t from = 0; from < piles.size(); ++from) {
            const std::size_t most = column(from) || rules.runs ? 13 : 1;
            for (std::size_t n = 1; n <= std::min(most, piles[from].size()); ++n) {
                const Card card = piles[from][piles[from].size() - n];
                if (n > 1 && piles[from][piles[from].size() - n + 1] + 1 != card) break;
                for (std::size_t to = 0; to < piles.size(); ++to)
                    if (to != from && takes(to, card, n)) all.push_back({card, static_cast<std::uint8_t>(to)});
            }
        }
        return all;
    }

    void play(Move move) {
        for (auto& pile : piles) {
            const auto first = std::find(pile.begin(), pile.end(), move.card);
            if (first == pile.end()) continue;
            const std::vector<Card> moved(first, pile.end());
            pile.erase(first, pile.end());
            piles[move.to].insert(piles[move.to].end(), moved.begin(), moved.end());
            return;
        }
    }

    Rules rules;
    std::vector<std::vector<Card>> piles;

  private:
    bool takes(std::size_t to, Card card, std::size_t n) const {
        if (!piles[to].empty()) return (column(to) || rules.build) && piles[to].back() == card + 1;
        return column(to) || (rules.build && rules.fill_empty && n == 1);
    }
};

Rules some_rules(Draw& pick) {
    Rules rules;
    if (pick(4)) {
        rules.ranks = 2 + pick(6);
        rules.suits = 1 + pick(4);
    }
    rules.reserves = 1 + pick(pick(8) ? 9 : 52);
    rules.columns = rules.suits + pick(pick(8) ? 5 : 9);
    rules.build = pick(2);
    rules.runs = rules.build || pick(2);
    rules.fill_empty = rules.build && pick(2);
    return rules;
}

/// Legal moves, mostly ones that join two cards of a suit, until the game is won or nothing moves.
std::vector<Move> some_line(Table table, Draw& pick) {
    std::vector<Move> line;
    while (!table.won() && line.size() < 300) {
        const auto moves = table.moves();
        if (moves.empty()) break;
        std::vector<Move> joins;
        for (const Move move : moves)
            if (!table.piles[move.to].empty()) joins.push_back(move);
        line.push_back(!joins.empty() && pick(4) ? any_of(joins, pick) : any_of(moves, pick));
        table.play(line.back());
    }
    return line;
}

bool replays_slowly(Table table, const std::vector<Move>& line) {
    for (const Move move : line) {
        const auto moves = table.moves();
        if (std::find(moves.begin(), moves.end(), move) == moves.end()) return false;
        table.play(move);
    }
    return table.won();
}

void it_allows_the_moves_of_the_rules_and_no_others() {
    Draw pick{SplitMix64(1)};
    int won = 0, onto_reserves = 0, sequences = 0;
    for (int game = 0; game < 250; ++game) {
        const Rules rules = some_rules(pick);
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        Table table(rules, deal);
        Referee referee(rules, deal);
        for (const Move played : some_line(table, pick)) {
            const auto moves = table.moves();
            CHECK(referee.won() == table.won());
            for (int card = 0; card < 70; ++card)
                for (int to = 0; to <= rules.piles() + 1; ++to) {
                    const Move move{static_cast<Card>(card), static_cast<std::uint8_t>(to)};
                    CHECK(referee.allows(move) == (std::find(moves.begin(), moves.end(), move) != moves.end()));
                }
            onto_reserves += !rules.is_column(played.to);
            for (const auto& pile : table.piles)
                sequences += std::find(pile.begin(), pile.end(), played.card) != pile.end() && pile.back() != played.card;
            table.play(played);
            CHECK(referee.play(played));
        }
        CHECK(referee.won() == table.won());
        won += table.won();
    }
    CHECK(won > 50 && onto_reserves > 200 && sequences > 200);
}

void it_refuses_lines_that_were_tampered_with() {
    Draw pick{SplitMix64(2)};
    int good = 0, bad = 0;
    for (int game = 0; game < 3000; ++game) {
        const Rules rules = some_rules(pick);
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        const Table table(rules, deal);
        auto line = some_line(table, pick);
        if (line.empty()) continue;
        CHECK(replays(rules, deal, line) == replays_slowly(table, line));
        const auto place = static_cast<std::ptrdiff_t>(pick(static_cast<int>(line.size())));
        switch (pick(5)) {
            case 0: line.erase(line.begin() + place); break;
            case 1: line.insert(line.begin() + place, line[static_cast<std::size_t>(place)]); break;
            case 2: line[static_cast<std::size_t>(place)].to = static_cast<std::uint8_t>(pick(rules.piles() + 1)); break;
            case 3: line[static_cast<std::size_t>(place)].card = any_of(deal, pick); break;
            case 4: line.resize(static_cast<std::size_t>(place)); break;
        }
        const bool still = replays_slowly(table, line);
        CHECK(replays(rules, deal, line) == still);
        ++(still ? good : bad);
    }
    CHECK(good > 50 && bad > 1000);
}

void a_refused_move_changes_nothing() {
    Rules rules;
    rules.ranks = 3, rules.suits = 1, rules.reserves = 1, rules.columns = 2;
    const std::vector<Card> deal{0, 1, 2};  // ace, two, three: the three is on top
    Referee referee(rules, deal);
    for (const Move move : {Move{0, 0}, Move{1, 0}, Move{2, 2}, Move{2, 3}, Move{3, 0}, Move{200, 0}, Move{2, 200}})
        CHECK(!referee.play(move));
    CHECK(referee.play({2, 0}) && referee.play({1, 0}) && !referee.won());
    CHECK(!referee.play({1, 2}) && !referee.play({1, 0}));
    CHECK(referee.play({2, 1}) && referee.play({0, 1}) && referee.won());
}

void rules_differ_in_what_reserves_give_and_take() {
    Rules rules;
    rules.ranks = 3, rules.suits = 2, rules.reserves = 2, rules.columns = 2;
    // First reserve: two of clubs, ace of clubs, three of spades; second: 3C, 2S, AS.
    const std::vector<Card> deal{1, 2, 0, 17, 18, 16};
    using Moves = std::vector<Move>;
    CHECK(Referee(rules, deal).allows({16, 0}) && !Referee(rules, deal).allows({17, 0}));
    rules.runs = true;
    CHECK(Referee(rules, deal).allows({16, 0}) && Referee(rules, deal).allows({17, 0}));
    CHECK(replays(rules, deal, Moves{{18, 0}, {17, 0}, {2, 1}, {1, 1}}));
    CHECK(!replays(rules, deal, Moves{{18, 0}, {17, 0}, {2, 1}, {0, 1}}));
    rules.build = true, rules.fill_empty = false;
    // 2S AS onto the three of spades in the reserve, and all of it to a column.
    CHECK(replays(rules, deal, Moves{{17, 2}, {18, 0}, {2, 1}, {1, 1}}));
    CHECK(!replays(rules, deal, Moves{{17, 2}, {18, 0}, {2, 1}, {0, 3}}));
    rules.fill_empty = true;
    Referee referee(rules, deal);
    for (const Move move : {Move{17, 2}, Move{18, 0}, Move{2, 1}}) CHECK(referee.play(move));
    CHECK(!referee.allows({18, 3}) && referee.allows({16, 3}) && referee.allows({0, 3}) && !referee.allows({1, 3}));
}

}  // namespace

int main() {
    it_allows_the_moves_of_the_rules_and_no_others();
    it_refuses_lines_that_were_tampered_with();
    a_refused_move_changes_nothing();
    rules_differ_in_what_reserves_give_and_take();
    std::puts("test_wave_referee: all passed");
}
