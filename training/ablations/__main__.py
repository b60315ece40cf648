"""Start the command line with one thread for each numerical library."""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from training.ablations.commands import app  # noqa: E402  (NumPy reads the thread counts)

if __name__ == "__main__":
    app(prog_name="python -m training.ablations")
