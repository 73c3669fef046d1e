"""Objects and values in row form (README.md, section 4) and how they print (Dump.md)."""

import struct

from . import limits
from .primitives import hash128
from .records import Text, hash_text, quote

BOOL, INTEGER, UNSIGNED, DOUBLE, DECIMAL, STRING, DATA, DATE, UUID = range(1, 10)
REFERENCE, BLOB, ARRAY, COMPOSITE, IDENTITY = range(10, 15)

TYPE_NAMES = ("nil", "bool", "integer", "unsigned", "double", "decimal", "string", "data", "date", "uuid",
              "reference", "blob", "array", "composite", "identityReference")
CANONICAL_NAN = 0x7FF8_0000_0000_0000
_EXPONENT = 0x7FF0_0000_0000_0000


def is_foreign_nan(word):
    """Tells whether a double is a NaN other than the canonical one."""
    return word & 0x7FFF_FFFF_FFFF_FFFF > _EXPONENT and word != CANONICAL_NAN


def double_text(word):
    """Spells a double as its shortest decimal and its bits."""
    number = struct.unpack("<d", word.to_bytes(8, "little"))[0]
    return f"{number!r}:{word:016x}"


def read_tag(cursor):
    """Reads the tag of an entity or attribute."""
    return cursor.varint(limits.TAG)


def read_index(cursor):
    """Reads a dictionary index."""
    return cursor.varint(limits.DICTIONARY_INDEX)


def read_serial(cursor):
    """Reads the serial of an object."""
    serial = cursor.varint(limits.SERIAL)
    cursor.require(serial != 0)
    return serial


def _read_object_behind_entity(cursor, entity):
    """Reads the rest of an object; returns its spelling and its stored key hash or None."""
    space = cursor.varint(limits.DICTIONARY_INDEX + 1)
    if space == 0:
        key_hash = cursor.take(16)
        return f"{entity}/#{hash_text(key_hash)}", key_hash
    return f"{entity}/{space - 1}/{read_serial(cursor)}", None


def _read_cell_object(cursor):
    """Reads what a column holds of an object: any serial, and no entity."""
    space = cursor.varint(limits.DICTIONARY_INDEX + 1)
    if space == 0:
        return f"0/#{hash_text(cursor.take(16))}"
    return f"0/{space - 1}/{cursor.varint()}"


def read_object_and_hash(cursor):
    """Reads an object; returns its spelling and its stored key hash or None."""
    return _read_object_behind_entity(cursor, read_tag(cursor))


def read_object(cursor):
    """Reads an object and returns its spelling."""
    return read_object_and_hash(cursor)[0]


def read_keyed_object(cursor):
    """Reads an object with its identity key; returns spelling and key, None without a key."""
    spelling, key_hash = read_object_and_hash(cursor)
    key = cursor.bytes()
    if key_hash is None:
        cursor.require(key == b"")
        return spelling, None
    cursor.require(hash128(key) == key_hash)
    return spelling, key


def _bool(cursor):
    return ("false", "true")[cursor.choice(0, 1)]


def _integer(cursor):
    return str(cursor.zigzag())


def _unsigned(cursor):
    return str(cursor.varint())


def _double(cursor):
    word = cursor.u64()
    cursor.require(not is_foreign_nan(word))
    return double_text(word)


def _decimal(cursor):
    sign = cursor.choice(0, 1)
    exponent = cursor.zigzag()
    stored = cursor.bytes(16)
    mantissa = int.from_bytes(stored, "little")
    if stored:
        cursor.require(stored[-1] != 0 and mantissa % 10 != 0)
    else:
        cursor.require(sign == 0 and exponent == 0)
    return f"decimal:{'-' if sign else ''}{mantissa}e{exponent}"


def _string(cursor):
    return Text(cursor.text())


def _data(cursor):
    return f"data:{cursor.bytes().hex()}"


def _date(cursor):
    return f"date:{cursor.i64()}"


def _uuid(cursor):
    return f"uuid:{cursor.take(16).hex()}"


def _reference(cursor):
    return f"ref:{read_object(cursor)}"


def _blob(cursor):
    digest = cursor.take(32).hex()
    return f"blob:{digest}/{cursor.varint()}"


def _array(cursor):
    element = cursor.choice(*range(BOOL, UUID + 1))
    read = _PAYLOADS[element]
    items = [read(cursor) for _ in range(cursor.count())]
    spelled = (quote(item) if isinstance(item, Text) else item for item in items)
    return f"array:{TYPE_NAMES[element]}[{','.join(spelled)}]"


def _composite(cursor):
    encoding = cursor.choice(1, 2)
    return f"composite:{encoding}:{cursor.bytes().hex()}"


def _identity(cursor):
    spelling, key_hash = read_object_and_hash(cursor)
    cursor.require(key_hash is not None)
    return f"ref:{spelling}"


_PAYLOADS = (lambda cursor: "nil", _bool, _integer, _unsigned, _double, _decimal, _string, _data, _date, _uuid,
             _reference, _blob, _array, _composite, _identity)


def read_value(cursor):
    """Reads a value in row form and returns its spelling."""
    kind = cursor.u8()
    cursor.require(kind < len(_PAYLOADS))
    return _PAYLOADS[kind](cursor)


def read_present(cursor):
    """Reads a value that is not nil and returns its spelling."""
    kind = cursor.u8()
    cursor.require(0 < kind < len(_PAYLOADS))
    return _PAYLOADS[kind](cursor)


def read_column_type(cursor):
    """Reads a physical type and returns its name."""
    kind = cursor.u8()
    cursor.require(0 < kind < len(TYPE_NAMES))
    return TYPE_NAMES[kind]


def read_column_value(cursor):
    """Reads the row form of a column's cell, where references name no entity."""
    kind = cursor.u8()
    if kind in (REFERENCE, IDENTITY):
        cursor.zeros(1)
        return f"ref:{_read_cell_object(cursor)}"
    return _PAYLOADS[kind](cursor)
