import time
from typing import Protocol


class Clock(Protocol):
    """The clock of a client. Tests replace it."""

    def now(self) -> float:
        """Monotonic, in seconds."""

    def sleep(self, seconds: float) -> None:
        """Returns after this time."""


class SystemClock:
    """The system's clock."""

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
