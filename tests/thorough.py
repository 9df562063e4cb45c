"""Examples that hypothesis makes: every day a fifth, in `make sweep` as many as a test names.

However long one takes, it is no failure: the machine may be busy.
"""

from hypothesis import HealthCheck, settings

for name, number in (("sweep", 100), ("thorough", 500), ("day", 20)):  # thorough: make slow
    settings.register_profile(
        name, max_examples=number, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("day")  # unless --hypothesis-profile names another


def examples(usual: int) -> int:
    """As many of a test that wants more or fewer than the usual hundred."""
    return usual * settings.default.max_examples // 100
