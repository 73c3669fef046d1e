"""TX frames and transactions (Transaction.md, sections 1 and 2)."""

from dataclasses import dataclass

from . import limits
from .frames import COLBLOCK, TXPART, TYPE_NAMES
from .operations import CODE as OPERATION_CODE, read_dependency, read_dictionary_entry, read_operation
from .primitives import Cursor, DecodeError, hash128
from .records import Text, hash_text, hex64, time_text, words

CODE = "badTransaction"
PART_CODE = "badPart"
HEAD_LENGTH = 32

CRITICAL, BULK, ADOPTS, PARTED, FULL = 1, 2, 4, 8, 16
FLAG_NAMES = ((CRITICAL, "critical"), (BULK, "bulk"), (ADOPTS, "adoption"), (PARTED, "parted"), (FULL, "full"))
_ALL_FLAGS = 31
_ORIGINS = ("local", "import", "merge", "undo", "migration", "restore")
_TEXT_KEYS = {1: "author", 2: "label", 4: "checkpoint"}
_ORIGIN_KEY = 3


@dataclass(frozen=True)
class Part:
    """A part frame: what the TX frame has to agree with.

    `raw` and `hash` are None when the payload does not decompress, `header` when it is no block that can be decoded.
    """

    offset: int
    type: int
    raw_length: int
    hash: bytes
    raw: bytes
    header: object = None


@dataclass(frozen=True)
class PartEntry:
    """An entry of a transaction's part list."""

    type: int
    raw_length: int
    rows: int
    hash: bytes


@dataclass(frozen=True)
class TxPayload:
    """The payload of a TX frame, cut into transactions."""

    previous_chain: bytes
    part_offsets: list
    transactions: list


def read_tx_payload(raw, first_sequence):
    """Cuts the payload of a TX frame into transactions and checks how they follow each other."""
    cursor = Cursor(raw, CODE)
    previous_chain, count, parts = cursor.take(16), cursor.u32(), cursor.u32()
    cursor.require(1 <= count <= limits.TRANSACTIONS_PER_FRAME and parts <= limits.PARTS)
    cursor.require(parts == 0 or count == 1)
    part_offsets = [cursor.u64() for _ in range(parts)]
    transactions = [_cut_transaction(cursor, first_sequence + place) for place in range(count)]
    cursor.expect_end()
    return TxPayload(previous_chain, part_offsets, transactions)


def _cut_transaction(cursor, sequence):
    """Returns the bytes of the next transaction, which has to have the given sequence."""
    head = Cursor(cursor.data, CODE, cursor.position, cursor.end)
    if head.u8() != 1:
        raise DecodeError("unknownVersion")
    head.take(3)
    byte_count = head.u32()
    head.take(8)
    if head.u64() != sequence:
        raise DecodeError("badSequence")
    cursor.require(byte_count >= HEAD_LENGTH)
    return cursor.take(byte_count)


@dataclass(frozen=True)
class Transaction:
    """A transaction whose operations are not decoded yet; era and lists are fields of records."""

    flags: int
    byte_count: int
    stamp: int
    sequence: int
    operation_count: int
    era: list
    schema: int
    dictionary: list
    dependencies: list
    metadata: list
    part_list: list
    inline: bytes
    hash: bytes

    def fields(self, chain):
        """Returns the fields of its record; `chain` is the chain after it."""
        return [("sequence", self.sequence), ("stamp", hex64(self.stamp)), ("time", time_text(self.stamp)),
                ("flags", words(self.flags, FLAG_NAMES)), ("bytes", self.byte_count),
                ("operations", self.operation_count), ("parts", len(self.part_list)), ("schema", self.schema),
                ("hash", hash_text(self.hash)), ("chain", hash_text(chain))]

    def records(self, part_offsets):
        """Yields the records between the transaction's own and its operations."""
        if self.era:
            yield "era", self.era
        yield from (("dictionary", entry) for entry in self.dictionary)
        yield from (("depends", entry) for entry in self.dependencies)
        yield from (("meta", entry) for entry in self.metadata)
        for place, (entry, offset) in enumerate(zip(self.part_list, part_offsets)):
            yield "part", [("index", place), ("type", TYPE_NAMES[entry.type]), ("offset", offset),
                           ("raw", entry.raw_length), ("rows", entry.rows), ("hash", hash_text(entry.hash))]


def read_transaction(data):
    """Decodes a transaction up to its operations."""
    cursor = Cursor(data, CODE)
    cursor.take(1)
    flags, zero, byte_count = cursor.u8(), cursor.u16(), cursor.u32()
    cursor.require(flags & ~_ALL_FLAGS == 0 and zero == 0)
    stamp, sequence, operations, parts = cursor.u64(), cursor.u64(), cursor.u32(), cursor.u32()
    cursor.require(operations <= limits.OPERATIONS and parts <= limits.PARTS and sequence >= 1)
    era, schema = _read_era(cursor), cursor.varint()
    dictionary = [read_dictionary_entry(cursor)
                  for _ in range(cursor.count(limits.DICTIONARY))]
    dependencies = [read_dependency(cursor) for _ in range(cursor.count(limits.DEPENDENCIES, smallest=10))]
    cursor.require(cursor.remaining() + 8 * parts <= limits.OWN_BYTES)
    metadata = _read_metadata(cursor.nested(cursor.varint(limits.METADATA)))
    part_list = _read_part_list(cursor, parts)
    _check_part_flags(cursor, flags, part_list)
    streamed = sum(entry.raw_length for entry in part_list if entry.type == TXPART)
    cursor.require(streamed + cursor.remaining() <= limits.OPERATION_BYTES)
    return Transaction(flags, byte_count, stamp, sequence, operations, era, schema, dictionary, dependencies,
                       metadata, part_list, cursor.take(cursor.remaining()), hash128(data))


def _read_era(cursor):
    """Reads the era; returns no fields for era 0."""
    number = cursor.varint()
    return [("number", number), ("opened", cursor.take(8).hex())] if number else []


def _read_metadata(cursor):
    """Reads the metadata entries and returns the fields of their records."""
    entries = []
    last = 0
    while cursor.remaining():
        key = cursor.varint()
        cursor.require(key > last)
        last = key
        entries.append(_read_metadata_entry(cursor, key))
    return entries


def _read_metadata_entry(cursor, key):
    """Reads what belongs to one metadata key."""
    if key in _TEXT_KEYS:
        return [(_TEXT_KEYS[key], Text(cursor.text()))]
    content = cursor.bytes()
    if key != _ORIGIN_KEY or len(content) != 1:
        return [("key", key), ("bytes", content.hex())]
    origin = content[0]
    return [("origin", _ORIGINS[origin] if origin < len(_ORIGINS) else f"origin-{origin}")]


def _read_part_list(cursor, count):
    """Reads the part list."""
    cursor.require(count * 19 <= cursor.remaining())
    entries = []
    for _ in range(count):
        kind, raw_length = cursor.choice(TXPART, COLBLOCK), cursor.varint(limits.RAW_PAYLOAD)
        rows = cursor.varint(limits.BLOCK_ROWS)
        cursor.require((rows == 0) == (kind == TXPART))
        entries.append(PartEntry(kind, raw_length, rows, cursor.take(16)))
    return entries


def _check_part_flags(cursor, flags, part_list):
    """Refuses flags that contradict the part list."""
    kinds = {entry.type for entry in part_list}
    cursor.require(bool(flags & BULK) == (COLBLOCK in kinds))
    cursor.require(bool(flags & PARTED) == (TXPART in kinds))


def check_parts(part_list, part_offsets, parts):
    """Refuses parts that are not the frames in front of the TX frame; what could not be decoded is not compared."""
    if part_offsets != [part.offset for part in parts] or len(part_list) != len(parts):
        raise DecodeError(PART_CODE)
    for entry, part in zip(part_list, parts):
        agrees = ((entry.type, entry.raw_length) == (part.type, part.raw_length)
                  and part.hash in (None, entry.hash)
                  and (part.header is None or part.header.rows == entry.rows))
        if not agrees:
            raise DecodeError(PART_CODE)


def operation_stream(transaction, parts):
    """Returns the concatenation of the TXPART payloads and the inline operations."""
    pieces = [part.raw for part in parts if part.type == TXPART]
    if None in pieces:
        raise DecodeError(PART_CODE)
    return b"".join([*pieces, transaction.inline])


def read_operations(transaction, parts):
    """Yields record kind, fields and the records one deeper for every operation."""
    cursor = Cursor(operation_stream(transaction, parts), OPERATION_CODE)
    for _ in range(transaction.operation_count):
        if not cursor.remaining():
            raise DecodeError(CODE)
        yield read_operation(cursor, parts)
    if cursor.remaining():
        raise DecodeError(CODE)
