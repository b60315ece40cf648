"""What can go wrong with a run."""

from terz_env.errors import TerzEnvError


class TrainingError(TerzEnvError, RuntimeError):
    """A run that did not end well; the message says which and why."""


class InterruptedRunError(TrainingError):
    """A run that was asked to stop; its last state is saved."""
