"""Examples that hypothesis makes: those that a test names, and five times more in `make slow`."""

from hypothesis import settings

settings.register_profile("thorough", max_examples=500)  # make slow


def examples(usual: int) -> int:
    """As many of a test that wants more or fewer than the usual hundred."""
    return usual * settings.default.max_examples // 100
