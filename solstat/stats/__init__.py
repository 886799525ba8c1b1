"""From counts to figures: shares with what is not settled left open, and intervals."""
