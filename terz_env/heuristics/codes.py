"""The numbers by which roll-out kernels know the rule players."""

RANDOM, ANNOUNCING, GREEDY, HEURISTIC = 0, 1, 2, 3
CODES = {
    "random": RANDOM,
    "random:announce": ANNOUNCING,
    "greedy": GREEDY,
    "heuristic": HEURISTIC,
}
ALWAYS = 1 << 20
"""A uniform action is drawn with the chance `chance / ALWAYS`."""
