"""The columns of a run's rows."""

from __future__ import annotations

import pyarrow as pa

SCHEMA_VERSION = 1
SCHEMA = pa.schema(
    [
        pa.field("game", pa.string()),
        pa.field("rules", pa.string()),
        pa.field("scheme", pa.string()),
        pa.field("search", pa.string()),
        pa.field("budget", pa.int64()),
        pa.field("index", pa.int64()),
        pa.field("seed", pa.string()),
        pa.field("outcome", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("stage", pa.string()),
        pa.field("positions", pa.int64()),
        pa.field("moves", pa.int32()),
        pa.field("line", pa.string()),
        pa.field("attempt", pa.int32()),
        pa.field("seconds", pa.float64()),
    ]
)
FOOTER = b"solstat"
"""The key, in the footer of a part, of what solstat says there."""
