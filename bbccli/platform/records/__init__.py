"""A result as JSON: plain values, the record behind them, and a table of them."""

from __future__ import annotations

from bbccli.platform.records.values import Document, Json, as_json

__all__ = ["Document", "Json", "as_json"]
