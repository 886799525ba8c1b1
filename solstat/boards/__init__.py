"""Boards for people: deals that are proved winnable, how hard they are, and one for each day."""
