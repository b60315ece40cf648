"""Game records, format `terz-record/1`: write what is played, replay what was written."""

from terz_env.records.fields import read_record
from terz_env.records.replaying import replay, state_at
from terz_env.records.starting import Start, start_of
from terz_env.records.writing import Choose, Record, record_game

__all__ = [
    "Choose",
    "Record",
    "Start",
    "read_record",
    "record_game",
    "replay",
    "start_of",
    "state_at",
]
