"""Examples that hypothesis makes: every day a fifth, in `make sweep` as many as a test names."""

from hypothesis import settings

settings.register_profile("sweep", max_examples=100)
settings.register_profile("thorough", max_examples=500)  # make slow
settings.register_profile("day", max_examples=20)
settings.load_profile("day")  # unless --hypothesis-profile names another


def examples(usual: int) -> int:
    """As many of a test that wants more or fewer than the usual hundred."""
    return usual * settings.default.max_examples // 100
