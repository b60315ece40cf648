"""Game records, format `terz-record/1`: write what is played, replay what was written."""

from terz_env.records.fields import read_record
from terz_env.records.replaying import replay, state_at
from terz_env.records.writing import Choose, Record, record_game

__all__ = ["Choose", "Record", "read_record", "record_game", "replay", "state_at"]
