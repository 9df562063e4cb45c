"""Keys of items that a framework names by what was asked."""

import hashlib

_LONGEST, _HASH = 200, 12


def shortened(key: str) -> str:
    """Return a key, or of a long one its beginning and hash."""
    return key if len(key) <= _LONGEST else f"{key[: _LONGEST // 2]}... {hash_of(key)}"


def hash_of(text: str) -> str:
    """Return some digits of the hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH]
