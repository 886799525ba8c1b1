// Family `scorpion`: random games and walks through them, shared by the tests and the fuzz target.
#pragma once

#include <vector>

#include "../scorpion_line.hpp"
#include "check.hpp"

namespace solstat::test {

/// Numbers from a stream of bytes or a generator: `pick(n)` is below n.
template <class Draw>
scorpion::Rules some_rules(Draw& pick) {
    for (;;) {
        scorpion::Rules rules;
        if (pick(4) != 0) {
            rules.ranks = 2 + pick(6);
            rules.suits = 1 + pick(4);
            rules.piles = 1 + pick(7);
            rules.depth = 1 + pick(5);
        }
        rules.face_down_piles = pick(rules.piles + 1);
        rules.any_to_empty = pick(2);
        const int stock = rules.ranks * rules.suits - rules.piles * rules.depth;
        if (stock >= 0 && stock <= rules.piles) return rules;
    }
}

template <class Draw>
std::vector<Card> some_deal(const scorpion::Rules& rules, Draw& pick) {
    return some_deck(rules.ranks, rules.suits, pick);
}

/// Everything about a board that take_back must bring back.
template <class Key>
std::vector<std::uint64_t> state(const scorpion::Board<Key>& board) {
    std::vector<std::uint64_t> all{static_cast<std::uint64_t>(board.key()), board.up(), board.joined() & board.on_table(),
                                   board.on_table(), board.tops(), board.bottoms(), board.stock()};
    for (int p = 0; p < board.rules().piles; ++p) all.push_back(board.pile(p));
    each(board.on_table(), [&](Card card) {
        all.push_back(board.above(card));
        all.push_back(board.below(card));
        all.push_back(static_cast<std::uint64_t>(board.pile_of(card)));
    });
    return all;
}

/// Plays random moves and checks board against referee at every step, then takes all back.
template <class Key, class Draw>
void walk(const scorpion::Rules& rules, Draw& pick, int length) {
    using namespace scorpion;
    const typename Board<Key>::Keys keys(static_cast<std::uint64_t>(pick(1000)));
    Board<Key> board(rules, keys);
    const std::vector<Card> deal = some_deal(rules, pick);
    board.start(deal);
    Referee referee(rules, deal);
    std::vector<typename Board<Key>::Undo> undos;
    std::vector<std::vector<std::uint64_t>> states;
    std::vector<Move> moves;
    for (int step = 0; step < length; ++step) {
        CHECK(board.key() == board.recomputed_key());
        CHECK(board.won() == referee.won());
        moves.clear();
        board.all_moves(moves);
        std::size_t legal = 0;
        for (int card = 0; card < 64; ++card)
            for (int p = 0; p < rules.piles; ++p) {
                const Move move{static_cast<Card>(card), static_cast<std::uint8_t>(p)};
                const bool allowed = referee.allows(move);
                CHECK(allowed == board.legal(move));
                legal += allowed;
            }
        CHECK(moves.size() == legal + board.stock_left());
        if (moves.empty()) break;
        const Move move = any_of(moves, pick);
        std::optional<Key> promised;
        if (move.card != deal_stock) {
            promised = board.key_after(move);
            const Move again = board.move_onto(move.card, board.lands_on(move));
            CHECK(board.lands_on(again) == board.lands_on(move));
        }
        states.push_back(state(board));
        board.play(move, undos.emplace_back());
        CHECK(!promised || *promised == board.key());
        CHECK(referee.play(move));
    }
    while (!undos.empty()) {
        board.take_back(undos.back());
        undos.pop_back();
        CHECK(state(board) == states.back());
        states.pop_back();
    }
}

}  // namespace solstat::test
