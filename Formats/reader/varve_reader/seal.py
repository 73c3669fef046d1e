"""SEAL frame and trailer (Segment.md, section 3)."""

import struct
from dataclasses import dataclass

from . import limits
from .operations import read_dictionary_entry
from .primitives import MASK64, Cursor, DecodeError, hash64
from .records import hash_text, hex64

CODE = "badSeal"
TRAILER_LENGTH = 48
TRAILER_MAGIC = b"VRVEND\r\n"


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

    def agrees(self, first_sequence, transactions, chain):
        """Tells whether the SEAL says what a scan found; everything else in it is a hint."""
        return ((self.first_sequence, self.transactions, self.chain) == (first_sequence, transactions, chain)
                and self.last_sequence == (first_sequence + transactions - 1) & MASK64)


def read_seal(raw):
    """Decodes the payload of a SEAL frame."""
    cursor = Cursor(raw, CODE)
    first, last, transactions, min_stamp, max_stamp = (cursor.u64() for _ in range(5))
    chain, raw_bytes = cursor.take(16), cursor.u64()
    type_counts = [cursor.u32() for _ in range(10)]
    index_count, vector_count, dictionary_bytes, column_count = (cursor.u32() for _ in range(4))
    cursor.require(index_count <= limits.INDEX_ENTRIES and vector_count <= limits.DICTIONARY)
    cursor.require(column_count <= limits.COLUMN_DIRECTORY_ENTRIES)
    index = list(struct.iter_unpack("<QQ", cursor.take(index_count * 16)))
    vector = list(struct.iter_unpack("<IIQ", cursor.take(vector_count * 16)))
    cursor.require(all(zero == 0 for _, zero, _ in vector))
    dictionary = _read_dictionary(cursor.nested(dictionary_bytes))
    cursor.align8()
    columns = list(struct.iter_unpack("<QQIIIBBH", cursor.take(column_count * 32)))
    cursor.require(all(entry[-1] == 0 for entry in columns))
    cursor.expect_end()
    return Seal(first, last, transactions, min_stamp, max_stamp, chain, raw_bytes, type_counts, index, vector,
                dictionary, columns)


def _read_dictionary(cursor):
    """Reads dictionary entries up to the end of their bytes."""
    entries = []
    while cursor.remaining():
        entries.append(read_dictionary_entry(cursor))
    return entries


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
        raise DecodeError("badTrailer")
    cursor = Cursor(data, "badTrailer", offset, offset + TRAILER_LENGTH)
    trailer = Trailer(cursor.u64(), cursor.u64(), cursor.take(16))
    cursor.require(cursor.u64() == hash64(data[offset:offset + 32], salt))
    cursor.require(cursor.take(8) == TRAILER_MAGIC)
    cursor.require(trailer.length == offset + TRAILER_LENGTH and trailer.seal_offset < offset)
    return trailer
