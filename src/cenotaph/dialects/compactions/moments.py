"""Points in time as clients write them, as ISO time stamps. No clock is read."""

from __future__ import annotations

from typing import Final

from cenotaph.core.ids import JSON
from cenotaph.dialects.session_input import is_whole

__all__ = ["iso_of"]

_DAY_MS: Final = 86_400_000
_YEAR_9999_MS: Final = 253_402_300_800_000


def iso_of(moment: JSON) -> str:
    """A moment as an ISO time stamp in UTC; "" for what is none.

    Args:
        moment: A time stamp as text, which is given back as it is, or milliseconds since 1970-01-01 in UTC.
    """
    if isinstance(moment, str):
        return moment
    if isinstance(moment, float):
        moment = int(moment)
    if not is_whole(moment) or not 0 <= moment < _YEAR_9999_MS:
        return ""
    days, of_day = divmod(moment, _DAY_MS)
    year, month, day = _civil(days)
    seconds, ms = divmod(of_day, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z"


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days since 1970-01-01, by the Gregorian rule.

    Years are taken to begin in March, so that the leap day is the last of its year; 146,097 days make 400 years.
    """
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + 400 * era + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1
