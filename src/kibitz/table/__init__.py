"""The table: the referee, sole owner of the true state. It deals, checks moves, keeps the record.

May import agents and everything below. Agents never import it.
"""

from kibitz.table.files import append_record, append_text, iter_records, read_records
from kibitz.table.record import Record, SeatRecord, parse_record
from kibitz.table.table import Table

__all__ = [
    "Record",
    "SeatRecord",
    "Table",
    "append_record",
    "append_text",
    "iter_records",
    "parse_record",
    "read_records",
]
