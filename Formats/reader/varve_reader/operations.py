"""The catalogue of operations (Transaction.md, section 3) and their records (Dump.md, section Operations)."""

from . import limits
from .frames import COLBLOCK, TXPART
from .group import read_columns
from .records import Text, hash_text, hex64, identifier, listing
from .schema import read_schema
from .values import read_column_type, read_index, read_keyed_object, read_object, read_present, read_tag, read_value

CODE = "badOperation"
_CRITICAL = 0x80


def read_dictionary_entry(cursor):
    """Reads a dictionary entry and returns the fields of its record; the index comes first."""
    fields = [("index", read_index(cursor))]
    cursor.require(fields[0][1] != 0)
    if cursor.choice(0, 1) == 0:
        return [*fields, ("replica", identifier(cursor.take(16)))]
    return [*fields, ("parent", read_index(cursor)), ("fork", cursor.varint()), ("chain", cursor.take(8).hex())]


def read_dependency(cursor):
    """Reads a dependency and returns the fields of its record."""
    return [("index", read_index(cursor)), ("sequence", cursor.varint()), ("chain", cursor.take(8).hex())]


def _vector(cursor):
    entries = [read_dependency(cursor) for _ in range(cursor.count(limits.DEPENDENCIES, smallest=10))]
    return listing(":".join(str(value) for _, value in entry) for entry in entries)


def _dot(cursor):
    return f"{read_index(cursor)}:{cursor.varint()}"


def _dots(cursor):
    return listing([_dot(cursor) for _ in range(cursor.count(smallest=2))])


def _field_records(cursor):
    """Reads `fields` and returns a record each."""
    return [("field", [("tag", read_tag(cursor)), ("value", read_present(cursor))])
            for _ in range(cursor.count(smallest=2))]


def _member_record(cursor):
    """Reads a field of a group: a value, or a nil and its type."""
    fields = [("tag", read_tag(cursor)), ("value", read_value(cursor))]
    if fields[1][1] == "nil" and not isinstance(fields[1][1], Text):
        fields.append(("type", read_column_type(cursor)))
    return "field", fields


def _object_and_field(cursor):
    return [("object", read_object(cursor)), ("field", read_tag(cursor))]


def _create(cursor):
    spelling, key = read_keyed_object(cursor)
    fields = [("object", spelling)]
    if key is not None:
        fields.append(("key", key.hex()))
    records = _field_records(cursor)
    return [*fields, ("count", len(records))], records


def _set(cursor):
    target = read_object(cursor)
    records = _field_records(cursor)
    return [("object", target), ("count", len(records))], records


def _unset(cursor):
    return [("object", read_object(cursor)),
            ("fields", listing([f"{read_tag(cursor)}:{read_column_type(cursor)}"
                                for _ in range(cursor.count(limits.TAGS))]))]


def _link(cursor):
    return [*_object_and_field(cursor), ("target", read_object(cursor))]


def _unlink(cursor):
    return [*_link(cursor), ("dots", _dots(cursor))]


def _pair(cursor):
    return [("state", cursor.choice(0, 1)), ("a", read_object(cursor)), ("fieldA", read_tag(cursor)),
            ("b", read_object(cursor)), ("fieldB", read_tag(cursor))]


def _order(cursor):
    fields = _object_and_field(cursor)
    if cursor.choice(0, 1) == 0:
        return [*fields, ("parent", "none")]
    return [*fields, ("parent", read_object(cursor)), ("key", cursor.bytes().hex())]


def _counter_add(cursor):
    return [*_object_and_field(cursor), ("amount", cursor.zigzag()), ("reset", hex64(cursor.u64())),
            ("author", read_index(cursor))]


def _counter_reset(cursor):
    return [*_object_and_field(cursor), ("value", cursor.zigzag())]


def _set_add(cursor):
    return [*_object_and_field(cursor), ("value", read_present(cursor))]


def _set_remove(cursor):
    return [*_set_add(cursor), ("dots", _dots(cursor))]


def _map_remove(cursor):
    return [*_object_and_field(cursor), ("key", read_present(cursor))]


def _map_put(cursor):
    return [*_map_remove(cursor), ("value", read_present(cursor))]


def _group(cursor):
    fields = [("object", read_object(cursor)), ("group", read_tag(cursor))]
    records = [_member_record(cursor) for _ in range(cursor.count(limits.TAGS))]
    return [*fields, ("count", len(records))], records


def _object_only(cursor):
    return [("object", read_object(cursor))]


def _merge(cursor):
    return [("from", read_object(cursor)), ("into", read_object(cursor))]


def _local_marker(cursor):
    return [("sequence", cursor.varint()), ("chain", hash_text(cursor.take(16)))]


def _blob(cursor):
    return [("sha256", cursor.take(32).hex()), ("bytes", cursor.varint())]


def _era(cursor):
    return [("number", cursor.varint()), ("act", cursor.choice(1, 2)), ("baseline", hash_text(cursor.take(16))),
            ("vector", _vector(cursor))]


def _accept_gap(cursor):
    return [("index", read_index(cursor)), ("first", cursor.varint()), ("last", cursor.varint()),
            ("chain", hash_text(cursor.take(16)))]


def _accept_store(cursor):
    return [("store", identifier(cursor.take(16)))]


def _adoption(cursor):
    fields = [("index", read_index(cursor)), ("sequence", cursor.varint()),
              ("previous", hash_text(cursor.take(16)))]
    entries = [read_dictionary_entry(cursor) for _ in range(cursor.count(limits.DICTIONARY))]
    transaction = cursor.bytes(limits.OPERATION_BYTES)
    parts = cursor.count(limits.PARTS, smallest=2)
    for _ in range(parts):
        cursor.choice(TXPART, COLBLOCK)
        cursor.bytes(limits.RAW_PAYLOAD)
    return [*fields, ("dictionary", len(entries)), ("bytes", len(transaction)), ("parts", parts)]


def _tag(cursor):
    return [("name", Text(cursor.text(limits.LABEL))), ("state", cursor.choice(0, 1)), ("vector", _vector(cursor))]


def _acknowledge_conflict(cursor):
    return [*_object_and_field(cursor), ("winner", _dot(cursor)), ("loser", _dot(cursor))]


def _migration(cursor):
    return [("identifier", Text(cursor.text(limits.LABEL))), ("ordinal", cursor.varint()), ("finished", cursor.choice(0, 1))]


def _pending_link(cursor):
    return [*_object_and_field(cursor), ("target", read_tag(cursor)), ("key", cursor.bytes().hex())]


_PLAIN = {
    0x03: ("unset", _unset), 0x04: ("link", _link), 0x05: ("unlink", _unlink), 0x06: ("pair", _pair),
    0x07: ("order", _order), 0x08: ("counterAdd", _counter_add), 0x09: ("counterReset", _counter_reset),
    0x0A: ("setAdd", _set_add), 0x0B: ("setRemove", _set_remove), 0x0C: ("mapPut", _map_put),
    0x0D: ("mapRemove", _map_remove), 0x0F: ("delete", _object_only), 0x10: ("undelete", _object_only),
    0x12: ("merge", _merge), 0x13: ("schema", read_schema), 0x14: ("localMarker", _local_marker),
    0x15: ("blob", _blob), 0x16: ("era", _era), 0x17: ("acceptGap", _accept_gap),
    0x18: ("acceptStore", _accept_store), 0x19: ("adoption", _adoption), 0x1A: ("retireReplica", read_dependency),
    0x1B: ("tag", _tag), 0x1C: ("acknowledgeConflict", _acknowledge_conflict), 0x1D: ("migration", _migration),
    0x1E: ("pendingLink", _pending_link),
}
_NESTED = {0x01: ("create", _create), 0x02: ("set", _set), 0x0E: ("group", _group), 0x11: ("recreate", _set)}
_COLUMNS = 0x1F


def _read_known(opcode, body, parts):
    """Decodes the body of an operation of the catalogue."""
    if opcode == _COLUMNS:
        return "columns", *read_columns(body, parts)
    if opcode in _NESTED:
        name, read = _NESTED[opcode]
        return name, *read(body)
    name, read = _PLAIN[opcode]
    return name, read(body), []


def read_operation(cursor, parts):
    """Reads one operation; returns its record kind, fields and the records one deeper."""
    opcode = cursor.u8()
    length = cursor.varint()
    body = cursor.nested(length)
    if opcode != _COLUMNS and opcode not in _NESTED and opcode not in _PLAIN:
        number = opcode % _CRITICAL
        body.require(number != _COLUMNS and number not in _NESTED and number not in _PLAIN)
        fields = [("opcode", number), ("critical", opcode // _CRITICAL), ("bytes", body.take(length).hex())]
        return "op unknown", fields, []
    name, fields, records = _read_known(opcode, body, parts)
    body.expect_end()
    return f"op {name}", fields, records
