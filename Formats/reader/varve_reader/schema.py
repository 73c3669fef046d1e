"""Schema operations (Transaction.md, section 5)."""

from . import limits
from .records import Text, listing
from .values import IDENTITY, TYPE_NAMES, read_tag, read_value

_HAS_DEFAULT = 2


def _label(cursor):
    return Text(cursor.text(limits.LABEL))


def _attributes(cursor):
    return listing(str(read_tag(cursor)) for _ in range(cursor.count(limits.TAGS)))


def _flags(cursor, limit):
    flags = cursor.u8()
    cursor.require(flags < limit)
    return flags


def read_type_name(cursor):
    """Reads a physical type other than nil and returns its name."""
    return TYPE_NAMES[cursor.choice(*range(1, IDENTITY + 1))]


def _entity(cursor):
    return [("entity", read_tag(cursor)), ("label", _label(cursor)), ("flags", _flags(cursor, 4))]


def _attribute(cursor):
    fields = [("entity", read_tag(cursor)), ("attribute", read_tag(cursor)), ("type", read_type_name(cursor)),
              ("label", _label(cursor))]
    flags = _flags(cursor, 128)
    fields.append(("flags", flags))
    if flags & _HAS_DEFAULT:
        fields.append(("default", read_value(cursor)))
    return fields


def _relationship(cursor):
    return [("entity", read_tag(cursor)), ("attribute", read_tag(cursor)), ("label", _label(cursor)),
            ("relation", cursor.choice(1, 2, 3, 4)), ("target", read_tag(cursor)),
            ("inverse", read_tag(cursor)), ("inverseLabel", _label(cursor)),
            ("rule", cursor.choice(0, 1, 2, 3)), ("flags", _flags(cursor, 4))]


def _uniqueness(cursor):
    return [("entity", read_tag(cursor)), ("mode", cursor.choice(0, 1, 2, 3)), ("fields", _attributes(cursor))]


def _group(cursor):
    return [("entity", read_tag(cursor)), ("group", read_tag(cursor)), ("label", _label(cursor)),
            ("fields", _attributes(cursor))]


def _index(cursor):
    return [("entity", read_tag(cursor)), ("label", _label(cursor)), ("index", cursor.choice(0, 1, 2)),
            ("fields", _attributes(cursor))]


def _retire(cursor):
    return [("entity", read_tag(cursor)), ("attribute", read_tag(cursor))]


def _version(cursor):
    return [("version", cursor.varint()), ("label", _label(cursor))]


_KINDS = {1: ("entity", _entity), 2: ("attribute", _attribute), 3: ("relationship", _relationship),
          4: ("uniqueness", _uniqueness), 5: ("group", _group), 6: ("index", _index), 7: ("retire", _retire),
          8: ("version", _version)}


def read_schema(cursor):
    """Reads the body of a schema operation and returns the fields of its record."""
    name, read = _KINDS[cursor.choice(*_KINDS)]
    return [("declares", name), *read(cursor)]
