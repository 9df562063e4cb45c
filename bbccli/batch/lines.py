"""The lines of a journal: a record with its checksum, and what is not a record."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from bbccli.documents import Json
from bbccli.schema import SCHEMA_VERSION

FORM = b'{"journal":"bbc-batch/'
HEADER = FORM + b'2"}\n'
FINISHED = b'{"finished":true}\n'

_SEAL = re.compile(rb',"check":"([0-9a-f]{16})"\}\n\Z')


def sealed(record: str) -> bytes:
    r"""Return the line of a record: an object in JSON and a newline, with a checksum at its end.

    Examples
    --------
    >>> sealed('{"key":"k"}' + chr(10))
    b'{"key":"k","check":"09271c93db1eab71"}\n'
    """
    body = record.encode().removesuffix(b"}\n")
    return b'%b,"check":"%b"}\n' % (body, _checksum(body))


def record_of(line: bytes) -> Json | None:
    """Return the record of a line; None where it is damaged, or was never ours."""
    seal = _SEAL.search(line)
    if seal is None or seal[1] != _checksum(line[: seal.start()]):
        return None
    try:
        record = json.loads(line[: seal.start()] + b"}")
    except (ValueError, RecursionError):
        return None
    return record if _is_record(record) else None


def _checksum(body: bytes) -> bytes:
    """First 64 bits of SHA-256, in hexadecimal digits."""
    return hashlib.sha256(body).hexdigest()[:16].encode()


def _is_record(value: Any) -> bool:
    """Whether a value says of a file what was asked, of which bytes, and what came of it."""
    if not isinstance(value, dict) or ("error" in value) == ("document" in value):
        return False
    if not isinstance(value.get("key"), str) or not isinstance(value.get("path"), str):
        return False
    if "error" in value:
        return value.get("files") is None and _is_error(value["error"])
    return isinstance(value.get("files"), str) and _is_document(value["document"])


def _is_error(value: Any) -> bool:
    kinds = {"problem": str, "hint": str, "status": int}
    return isinstance(value, dict) and all(
        isinstance(value.get(name), kind) for name, kind in kinds.items()
    )


def _is_document(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("schema") == SCHEMA_VERSION
        and isinstance(value.get("input"), dict)
        and isinstance(value.get("estimates"), list)
        and isinstance(value.get("gate"), dict | None)
    )
