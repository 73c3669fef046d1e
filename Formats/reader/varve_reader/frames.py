"""File header and frames (Segment.md, sections 1 and 2)."""

import struct
from dataclasses import dataclass

import lz4.block

from . import limits
from .primitives import Cursor, DecodeError, hash64, is_zero, padded8

FILE_MAGIC = b"\x89VRV\r\n\x1a\n"
HEADER_LENGTH = 128
FRAME_HEADER_LENGTH = 40
ZERO_HEADER = bytes(FRAME_HEADER_LENGTH)

REPLICAS, SCHEMA, TX, TXPART, MARK, SEAL, RECEIPT, COLBLOCK, DIRECTORY, SIDE = range(1, 11)
TYPE_NAMES = {REPLICAS: "replicas", SCHEMA: "schema", TX: "tx", TXPART: "part", MARK: "mark", SEAL: "seal",
              RECEIPT: "receipt", COLBLOCK: "block", DIRECTORY: "directory", SIDE: "side"}
IGNORABLE = 0x80

LZ4 = 1
FLAG_NAMES = ((LZ4, "lz4"), (2, "columnar"), (4, "last"))
_ALL_FLAGS = 7

KIND_SEGMENT, KIND_BASELINE = 1, 3
KIND_NAMES = {KIND_SEGMENT: "segment", KIND_BASELINE: "baseline", 4: "receipt", 5: "blob", 6: "sentinel", 7: "localLog",
              8: "bundle"}


@dataclass(frozen=True)
class FileHeader:
    """The 128 bytes in front of a file made of frames."""

    major: int
    minor: int
    incompatible: int
    kind: int
    alignment: int
    header_length: int
    store: bytes
    replica: bytes
    ordinal: int
    first_sequence: int
    salt: int
    previous_chain: bytes
    created: int
    previous_bytes: int
    key_id: int
    check_holds: bool

    def problem(self):
        """Returns the code of the rule that the header breaks, None when it is sound."""
        if not self.check_holds:
            return "badHeader"
        if self.major != 0 or self.incompatible or self.kind not in KIND_NAMES:
            return "unknownVersion"
        return None if self._follows_rules() else "badHeader"

    def _follows_rules(self):
        """Tells whether the fields have values that are allowed."""
        numbers = (self.first_sequence == 0 if self.kind == KIND_BASELINE
                   else self.ordinal >= 1 and self.first_sequence >= 1)
        return self.alignment == 3 and self.header_length == HEADER_LENGTH and self.key_id == 0 and numbers


def read_file_header(data):
    """Reads the file header without judging it."""
    cursor = Cursor(data, "truncated", len(FILE_MAGIC), HEADER_LENGTH)
    major, minor, incompatible, _compatible = cursor.u16(), cursor.u16(), cursor.u32(), cursor.u32()
    return FileHeader(
        major, minor, incompatible, kind=cursor.u8(), alignment=cursor.u8(), header_length=cursor.u16(),
        store=cursor.take(16), replica=cursor.take(16), ordinal=cursor.u64(), first_sequence=cursor.u64(),
        salt=cursor.u64(), previous_chain=cursor.take(16), created=cursor.u64(), previous_bytes=cursor.u64(),
        key_id=cursor.u64(), check_holds=hash64(data[:120]) == cursor.u64())


@dataclass(frozen=True)
class Frame:
    """A frame that is valid by its hashes."""

    offset: int
    type: int
    flags: int
    stored_length: int
    raw_length: int
    sequence: int
    synced: int
    stored: bytes
    end: int

    def type_name(self):
        """Returns the word for the frame's type."""
        return TYPE_NAMES.get(self.type, f"type-{self.type}")

    def is_known(self, file_kind):
        """Tells whether files of a kind have frames of this type; SIDE belongs to baselines."""
        return self.type in TYPE_NAMES and (self.type != SIDE or file_kind == KIND_BASELINE)

    def is_ignorable(self):
        """Tells whether a reader that does not know the frame skips it."""
        return bool(self.type & IGNORABLE)

    def is_part(self):
        """Tells whether the frame belongs to the unit that a later TX frame commits."""
        return self.type in (TXPART, COLBLOCK)

    def raw(self):
        """Returns the payload, decompressed."""
        if not self.flags & LZ4:
            return self.stored
        if has_zero_match(self.stored):
            raise DecodeError("badCompression")
        try:
            raw = lz4.block.decompress(self.stored, uncompressed_size=self.raw_length)
        except (lz4.block.LZ4BlockError, ValueError, OverflowError):
            raise DecodeError("badCompression") from None
        if len(raw) != self.raw_length:
            raise DecodeError("badCompression")
        return raw


def has_zero_match(block):
    """Tells whether a match of an LZ4 block has the offset 0, for which the library copies what its memory held."""
    position, end = 0, len(block)
    while position < end:
        token = block[position]
        literals, position = _extended(block, position + 1, token >> 4)
        position += literals
        if position + 2 > end:
            return False
        if block[position] == 0 and block[position + 1] == 0:
            return True
        _, position = _extended(block, position + 2, token & 15)
    return False


def _extended(block, position, length):
    """Reads the bytes that lengthen a length of 15; returns the length and where it ends."""
    more = 255 if length == 15 else 0
    while more == 255 and position < len(block):
        more = block[position]
        length += more
        position += 1
    return length, position


class BadFrame(Exception):
    """The bytes at a frame's place are no valid frame; `extent` is what the verdict examines."""

    def __init__(self, code, extent):
        super().__init__(code)
        self.code = code
        self.extent = extent


def read_frame(data, offset, salt):
    """Reads the frame at an offset and verifies it up to its frame hash and padding."""
    payload = offset + FRAME_HEADER_LENGTH
    if payload > len(data):
        raise BadFrame("truncated", FRAME_HEADER_LENGTH)
    header = data[offset:payload]
    seed = hash64(header[4:32], salt ^ offset)
    cursor = Cursor(header, "badHeaderCheck")
    if header == ZERO_HEADER:
        raise BadFrame("truncated", FRAME_HEADER_LENGTH)
    if cursor.u32() != seed & 0xFFFF_FFFF:
        raise BadFrame("badHeaderCheck", FRAME_HEADER_LENGTH)
    kind, flags, zero, stored, raw = cursor.u8(), cursor.u8(), cursor.u16(), cursor.u32(), cursor.u32()
    sequence, synced, frame_hash = cursor.u64(), cursor.u64(), cursor.u64()
    end = offset + padded8(FRAME_HEADER_LENGTH + stored)
    extent = end - offset
    if flags & ~_ALL_FLAGS or zero:
        raise BadFrame("badPadding", FRAME_HEADER_LENGTH)
    if not _lengths_allowed(flags, stored, raw) or synced > offset:
        raise BadFrame("badLength", FRAME_HEADER_LENGTH)
    if end > len(data):
        raise BadFrame("truncated", extent)
    body = data[payload:payload + stored]
    if hash64(body, seed) != frame_hash:
        raise BadFrame("badFrameHash", extent)
    if not is_zero(data[payload + stored:end]):
        raise BadFrame("badPadding", extent)
    return Frame(offset, kind, flags, stored, raw, sequence, synced, body, end)


def _lengths_allowed(flags, stored, raw):
    """Tells whether stored and raw length keep the limits."""
    if raw > limits.RAW_PAYLOAD or stored > raw or raw > 255 * stored + 64:
        return False
    return bool(flags & LZ4) or stored == raw


def find_frame(data, start, salt):
    """Returns the first multiple of 8 from `start` on that holds a valid frame, None without one."""
    stop = len(data) & ~7
    for place, (word,) in enumerate(struct.iter_unpack("<Q", memoryview(data)[start:max(start, stop)])):
        if word and not word >> 40 & 0xFFFFF8 and _is_frame(data, start + place * 8, salt):
            return start + place * 8
    return None


def _is_frame(data, offset, salt):
    """Tells whether a frame at an offset is valid."""
    try:
        read_frame(data, offset, salt)
    except BadFrame:
        return False
    return True
