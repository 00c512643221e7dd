"""Reviews of finished games: a grade for each decision, and what was luck.

Everything here sees all cards, as only a finished game may: it takes whole records. May import the
table and everything below.
"""

from kibitz.reviews.reviewing import Review, Reviewed, Reviewing, review

__all__ = ["Review", "Reviewed", "Reviewing", "review"]
