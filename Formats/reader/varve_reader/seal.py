"""SEAL frame and trailer (Segment.md, section 3)."""

import struct
from dataclasses import dataclass

from . import limits
from .frames import SEAL
from .operations import read_dictionary_entry
from .primitives import Cursor, DecodeError, hash64
from .records import hash_text, hex64

CODE = "badSeal"
TRAILER_LENGTH = 48
TRAILER_MAGIC = b"VRVEND\r\n"
BUCKET = 64 << 10


@dataclass(frozen=True)
class Seal:
    """The content of a SEAL frame."""

    first_sequence: int
    last_sequence: int
    transactions: int
    min_stamp: int
    max_stamp: int
    chain: bytes
    raw_bytes: int
    type_counts: list
    index: list
    vector: list
    dictionary: list
    columns: list

    def fields(self):
        """Returns the fields of its record."""
        return [("firstSequence", self.first_sequence), ("lastSequence", self.last_sequence),
                ("transactions", self.transactions), ("minStamp", hex64(self.min_stamp)),
                ("maxStamp", hex64(self.max_stamp)), ("chain", hash_text(self.chain)),
                ("rawBytes", self.raw_bytes), ("index", len(self.index)), ("vector", len(self.vector)),
                ("columns", len(self.columns))]


def read_seal(raw):
    """Decodes the payload of a SEAL frame."""
    cursor = Cursor(raw, CODE)
    first, last, transactions, min_stamp, max_stamp = (cursor.u64() for _ in range(5))
    chain, raw_bytes = cursor.take(16), cursor.u64()
    type_counts = [cursor.u32() for _ in range(10)]
    index_count, vector_count, dictionary_bytes, column_count = (cursor.u32() for _ in range(4))
    cursor.require(index_count <= limits.INDEX_ENTRIES and column_count <= limits.COLUMN_DIRECTORY_ENTRIES)
    index = list(struct.iter_unpack("<QQ", cursor.take(index_count * 16)))
    vector = list(struct.iter_unpack("<IIQ", cursor.take(vector_count * 16)))
    cursor.require(all(zero == 0 and 1 <= entry <= limits.DICTIONARY_INDEX for entry, zero, _ in vector))
    dictionary = _read_dictionary(cursor.nested(dictionary_bytes))
    cursor.align8()
    columns = list(struct.iter_unpack("<QQIIIBBH", cursor.take(column_count * 32)))
    cursor.expect_end()
    return Seal(first, last, transactions, min_stamp, max_stamp, chain, raw_bytes, type_counts, index, vector,
                dictionary, columns)


def _read_dictionary(cursor):
    """Reads dictionary entries up to the end of their bytes."""
    entries = []
    while cursor.remaining():
        entries.append(read_dictionary_entry(cursor))
    return entries


class Tally:
    """Collects from a scan what SEAL repeats."""

    def __init__(self):
        self.stamps = []
        self.raw_bytes = 0
        self.type_counts = [0] * 10
        self.unit_starts = []
        self.columns = []
        self.dictionary = []

    def count_frame(self, frame):
        """Counts a frame in front of SEAL."""
        self.raw_bytes += frame.raw_length
        self.type_counts[0 if frame.is_ignorable() else frame.type] += 1

    def add_block(self, frame, header):
        """Notes a column block for the column directory."""
        self.columns.append((frame.offset, frame.sequence, header.entity, header.attribute, header.rows,
                             header.type, header.encoding, 0))

    def check(self, seal, first_sequence, chain):
        """Refuses a SEAL that does not say what the scan found."""
        transactions = len(self.stamps)
        stamps = (min(self.stamps, default=0), max(self.stamps, default=0))
        agrees = (
            (seal.first_sequence, seal.transactions, seal.chain) == (first_sequence, transactions, chain)
            and seal.last_sequence == first_sequence + transactions - 1
            and (seal.min_stamp, seal.max_stamp) == stamps
            and seal.raw_bytes == self.raw_bytes
            and self._counts_agree(seal.type_counts)
            and self._index_agrees(seal.index)
            and (not transactions or seal.dictionary == self.dictionary)
            and seal.columns == (self.columns if len(self.columns) <= limits.COLUMN_DIRECTORY_ENTRIES else []))
        if not agrees:
            raise DecodeError(CODE)

    def _counts_agree(self, counts):
        """Compares the counts by type; SEAL may or may not count itself."""
        with_seal = list(self.type_counts)
        with_seal[SEAL] += 1
        return counts in (self.type_counts, with_seal)

    def _index_agrees(self, index):
        """Compares the index with the first unit of every 64 KiB; a coarser one only has to name units."""
        first_units = {}
        for offset, sequence in self.unit_starts:
            first_units.setdefault(offset // BUCKET, (offset, sequence))
        exact = list(first_units.values())
        if len(exact) <= limits.INDEX_ENTRIES:
            return index == exact
        return index == sorted(set(index)) and set(index) <= set(self.unit_starts)


@dataclass(frozen=True)
class Trailer:
    """The 48 bytes behind the SEAL frame."""

    seal_offset: int
    length: int
    chain: bytes

    def fields(self):
        """Returns the fields of its record."""
        return [("sealOffset", self.seal_offset), ("bytes", self.length), ("chain", hash_text(self.chain))]


def read_trailer(data, offset, salt):
    """Reads the trailer at an offset and verifies its hash and length."""
    if offset + TRAILER_LENGTH > len(data):
        raise DecodeError("truncated")
    cursor = Cursor(data, "badTrailer", offset, offset + TRAILER_LENGTH)
    trailer = Trailer(cursor.u64(), cursor.u64(), cursor.take(16))
    cursor.require(cursor.u64() == hash64(data[offset:offset + 32], salt))
    cursor.require(cursor.take(8) == TRAILER_MAGIC)
    cursor.require(trailer.length == offset + TRAILER_LENGTH)
    return trailer
