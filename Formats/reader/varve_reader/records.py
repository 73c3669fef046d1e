"""Records and their two spellings, text and JSON lines (Dump.md, section Spelling)."""

import base64
from datetime import datetime, timedelta

_EPOCH = datetime(1970, 1, 1)
_ESCAPES = {code: f"\\u{code:04x}" for code in [*range(0x20), 0x7F]}
_ESCAPES.update({ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"})


class Text(str):
    """A string that is printed in quotes; a plain `str` is a word or hexadecimal."""


def quote(string):
    """Returns the string in quotes, escaped."""
    return f'"{string.translate(_ESCAPES)}"'


def text_value(value):
    """Spells a value for the text form."""
    return quote(value) if isinstance(value, Text) else str(value)


def json_value(value):
    """Spells a value for the JSON form."""
    return str(value) if isinstance(value, int) else quote(value)


def text_line(depth, kind, fields):
    """Spells a record as a line of text."""
    parts = [kind, *(f"{name}={text_value(value)}" for name, value in fields)]
    return "  " * depth + " ".join(parts)


def json_line(depth, kind, fields):
    """Spells a record as a line of JSON."""
    parts = [f'"kind":{quote(kind)}', f'"depth":{depth}']
    parts.extend(f'"{name}":{json_value(value)}' for name, value in fields)
    return "{" + ",".join(parts) + "}"


def hex64(number):
    """Spells a 64-bit number or a stamp."""
    return f"{number:016x}"


def hash_text(stored):
    """Spells a stored 128-bit hash as one number, most significant digit first."""
    return stored[::-1].hex()


def identifier(stored):
    """Spells a store or replica id in base32."""
    return base64.b32encode(stored).decode("ascii").lower().rstrip("=")


def words(flags, names):
    """Spells flags as words joined with `+`."""
    return "+".join(name for bit, name in names if flags & bit) or "none"


def listing(items):
    """Spells a list joined with commas, `none` when it is empty."""
    return ",".join(items) or "none"


def time_text(stamp):
    """Spells the milliseconds of a stamp as a UTC time."""
    milliseconds = stamp >> 12 & (1 << 44) - 1
    moment = _EPOCH + timedelta(milliseconds=milliseconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"
