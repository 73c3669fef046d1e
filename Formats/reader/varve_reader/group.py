"""The `columns` operation and its agreement with the column blocks (Transaction.md, section 4)."""

from dataclasses import dataclass

from . import limits, values
from .columns import CODE
from .primitives import DecodeError
from .schema import read_type_name
from .values import read_index, read_optional_tag, read_serial, read_tag

CREATE, SET, DELETE, LINK = range(1, 5)
FORM_NAMES = ("", "create", "set", "delete", "link")
RUN, REFERENCES, IDENTITIES = range(3)


@dataclass(frozen=True)
class Column:
    """A column as the operation declares it."""

    attribute: int
    type: int
    explicit_nil: int
    target: int

    def fields(self):
        """Returns the fields of its record."""
        return [("attribute", self.attribute), ("type", values.TYPE_NAMES[self.type]),
                ("explicitNil", self.explicit_nil), ("target", self.target)]


def read_columns(cursor, parts):
    """Reads a `columns` operation, checks it against the parts, returns fields and records below."""
    form, entity = cursor.choice(CREATE, SET, DELETE, LINK), read_tag(cursor)
    rows = cursor.varint(limits.GROUP_ROWS)
    cursor.require(rows >= 1)
    ids, ids_text = _read_ids(cursor, rows)
    first = cursor.varint(limits.PARTS)
    columns = [_read_column(cursor, form) for _ in range(cursor.count(limits.GROUP_COLUMNS, smallest=4))]
    _check_form(cursor, form, ids, columns)
    _check_parts(parts, entity, rows, first, _id_columns(ids) + columns)
    fields = [("form", FORM_NAMES[form]), ("entity", entity), ("rows", rows), ("ids", ids_text), ("first", first),
              ("columns", len(columns))]
    return fields, [("column", column.fields()) for column in columns]


def _read_ids(cursor, rows):
    """Reads how the objects are named; returns the form and its spelling."""
    ids = cursor.choice(RUN, REFERENCES, IDENTITIES)
    if ids != RUN:
        return ids, "references" if ids == REFERENCES else "identities"
    index, serial = read_index(cursor), read_serial(cursor)
    cursor.require(serial + rows - 1 <= limits.SERIAL)
    return ids, f"run:{index}:{serial}"


def _read_column(cursor, form):
    """Reads the declaration of a column; attribute 0 is left to the form's rules."""
    attribute = read_optional_tag(cursor)
    kind = values.TYPE_NAMES.index(read_type_name(cursor))
    explicit_nil = cursor.choice(0, 1)
    target = read_optional_tag(cursor)
    cursor.require((target != 0) == (kind in (values.REFERENCE, values.IDENTITY)))
    return Column(attribute, kind, explicit_nil, target)


def _check_form(cursor, form, ids, columns):
    """Refuses columns that do not belong to the form of the operation."""
    named = columns
    if form == CREATE and ids == IDENTITIES:
        cursor.require(bool(columns) and columns[0].attribute == 0 and columns[0].type == values.DATA)
        named = columns[1:]
    cursor.require(all(column.attribute for column in named))
    cursor.require(form != DELETE or not columns)
    cursor.require(form != LINK or len(columns) == 1 and columns[0].target != 0)


def _id_columns(ids):
    """Returns the id column as column 0, if there is one."""
    kinds = {RUN: (), REFERENCES: (values.REFERENCE,), IDENTITIES: (values.IDENTITY,)}
    return [Column(0, kind, 0, 0) for kind in kinds[ids]]


def _check_parts(parts, entity, rows, first, columns):
    """Refuses parts that are missing or whose blocks do not agree with the operation."""
    blocks = -(-rows // limits.BLOCK_ROWS)
    if first + blocks * len(columns) > len(parts):
        raise DecodeError("badPart")
    for block in range(blocks):
        block_rows = min(limits.BLOCK_ROWS, rows - block * limits.BLOCK_ROWS)
        for place, column in enumerate(columns):
            header = parts[first + block * len(columns) + place].header
            if not _agrees(header, entity, block_rows, column):
                raise DecodeError(CODE)


def _agrees(header, entity, rows, column):
    """Tells whether a block is the one that the operation declares; ids and keys have no nil cells."""
    if header is None or (column.attribute == 0 and header.nullable):
        return False
    return (header.entity, header.attribute, header.type, header.rows) == (entity, column.attribute, column.type, rows)
