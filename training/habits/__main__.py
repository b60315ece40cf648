"""Start the command with one thread for each numerical library."""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from training.habits.cli import app  # noqa: E402  (the thread counts are read by NumPy)

if __name__ == "__main__":
    app(prog_name="python -m training.habits")
