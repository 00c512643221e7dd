"""The house: tables at which people play against agents, are coached, and find their games again.

`fair` commits to a deal before it is made; `sitting` is one table with a person at it; `storage`
keeps everything in one SQLite file; `house` ties them together. The true state stays inside: what
leaves is a frame made of one seat's view. May import the table and everything below.
"""

from kibitz.house.house import House
from kibitz.house.sitting import Sitting
from kibitz.house.storage import Storage

__all__ = ["House", "Sitting", "Storage"]
