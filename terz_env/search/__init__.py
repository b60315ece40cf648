"""Search over hidden cards and exact values: worlds, solvers, best responses."""
