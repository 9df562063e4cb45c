"""How many examples hypothesis makes: a few by day, many in `make slow`."""

from hypothesis import settings

settings.register_profile("daily", max_examples=33)
settings.register_profile("thorough", max_examples=300)  # make slow


def examples(usual: int) -> int:
    """As many of a test that wants more or fewer than the usual hundred."""
    return max(usual * settings.default.max_examples // 100, 10)
