"""A table to play on: a game with undo and redo, the commands of its player, games on file.

It knows no rule of any game: what may move, and why something may not, is asked of `games`.
"""
