"""The `columns` operation and its agreement with the column blocks (Transaction.md, section 4)."""

from dataclasses import dataclass

from . import limits, values
from .columns import CODE
from .frames import COLBLOCK
from .primitives import DecodeError
from .schema import read_type_name
from .values import read_index, read_serial, read_tag

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


@dataclass(frozen=True)
class Group:
    """The rows of the operation and how they are cut into blocks."""

    entity: int
    rows: int
    block_rows: int
    first: int


def read_columns(cursor, parts):
    """Reads a `columns` operation, checks it against the parts, returns fields and records below."""
    form, entity = cursor.choice(CREATE, SET, DELETE, LINK), read_tag(cursor)
    rows = cursor.varint(limits.GROUP_ROWS)
    block_rows = cursor.varint(limits.BLOCK_ROWS)
    cursor.require(rows >= 1 and block_rows >= limits.BLOCK_ROWS_MIN)
    ids, ids_text = _read_ids(cursor, rows)
    first = cursor.varint(limits.PARTS)
    columns = [_read_column(cursor) for _ in range(cursor.count(limits.GROUP_COLUMNS, smallest=4))]
    cursor.expect_end()
    _check_form(cursor, form, columns)
    _check_parts(cursor, parts, Group(entity, rows, block_rows, first), _leading_columns(form, ids), columns)
    fields = [("form", FORM_NAMES[form]), ("entity", entity), ("rows", rows), ("blockRows", block_rows),
              ("ids", ids_text), ("first", first), ("columns", len(columns))]
    return fields, [("column", column.fields()) for column in columns]


def _read_ids(cursor, rows):
    """Reads how the objects are named; returns the form and its spelling."""
    ids = cursor.choice(RUN, REFERENCES, IDENTITIES)
    if ids != RUN:
        return ids, "references" if ids == REFERENCES else "identities"
    index, serial = read_index(cursor), read_serial(cursor)
    cursor.require(serial + rows - 1 <= limits.SERIAL)
    return ids, f"run:{index}:{serial}"


def _read_column(cursor):
    """Reads the declaration of a column."""
    attribute = read_tag(cursor)
    kind = values.TYPE_NAMES.index(read_type_name(cursor))
    explicit_nil = cursor.choice(0, 1)
    target = read_tag(cursor)
    cursor.require(target == 0 or kind in (values.REFERENCE, values.IDENTITY))
    return Column(attribute, kind, explicit_nil, target)


def _check_form(cursor, form, columns):
    """Refuses columns that do not belong to the form of the operation."""
    cursor.require(form != DELETE or not columns)
    cursor.require(form != LINK or len(columns) == 1 and columns[0].type in (values.REFERENCE, values.IDENTITY))


def _leading_columns(form, ids):
    """Returns the columns that stand in front and are not listed: ids, and the keys of new identities."""
    if ids == RUN:
        return []
    if ids == REFERENCES:
        return [Column(0, values.REFERENCE, 0, 0)]
    return [Column(0, values.IDENTITY, 0, 0)] + [Column(0, values.DATA, 0, 0)] * (form == CREATE)


def _check_parts(cursor, parts, group, leading, columns):
    """Refuses parts that are missing or whose blocks do not agree with the operation."""
    listed = leading + columns
    blocks = -(-group.rows // group.block_rows)
    count = blocks * len(listed)
    cursor.require(count <= limits.PARTS)
    if group.first + count > len(parts):
        raise DecodeError("badPart")
    for index in range(count):
        block, place = divmod(index, len(listed))
        rows = min(group.block_rows, group.rows - block * group.block_rows)
        part = parts[group.first + index]
        if not _agrees(part, group.entity, rows, listed[place], place < len(leading)):
            raise DecodeError(CODE)


def _agrees(part, entity, rows, column, is_leading):
    """Tells whether a block is the one that is declared; one that cannot be decoded was reported already."""
    if part.type != COLBLOCK:
        return False
    header = part.header
    if header is None:
        return True
    stated = (header.entity, header.attribute, header.type, header.rows)
    return stated == (entity, column.attribute, column.type, rows) and not (is_leading and header.nullable)
