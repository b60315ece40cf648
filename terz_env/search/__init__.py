"""Search on positions with all cards known."""
