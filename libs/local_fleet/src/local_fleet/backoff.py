"""How long a process that died waits before it is started again."""

from dataclasses import dataclass

_FIRST_S = 0.5
_LONGEST_S = 30.0

#: A process that ran this long was healthy: its next failure counts as the first one.
_STABLE_S = 20.0


@dataclass
class Backoff:
    """Doubles the wait with every quick death, up to half a minute."""

    failures: int = 0

    def after(self, ran_s: float) -> float:
        """Seconds to wait after a life of `ran_s` seconds."""
        self.failures = 1 if ran_s >= _STABLE_S else self.failures + 1
        return min(_LONGEST_S, _FIRST_S * 2.0 ** (self.failures - 1))
