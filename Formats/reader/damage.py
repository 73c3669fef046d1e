"""Damaged variants of Varve files: by bytes, and by content that is valid by its hashes again."""

import random
import struct

from varve_reader.frames import (FRAME_HEADER_LENGTH, HEADER_LENGTH, LZ4, TX, BadFrame, read_file_header,
                                 read_frame)
from varve_reader.primitives import DecodeError, hash64, padded8
from varve_reader.seal import TRAILER_LENGTH, TRAILER_MAGIC

SECTOR = 512
MASK64 = (1 << 64) - 1


def variants(data, count, seed):
    """Yields about `count` pairs of a description and damaged bytes."""
    source = random.Random(seed)
    plain = count // 2
    yield from _spread(_flips, data, plain // 2)
    yield from _spread(_cuts, data, plain // 4)
    for _ in range(plain // 4):
        yield _overwritten(data, source)
    pieces = _pieces(data)
    if pieces:
        for _ in range(count - plain):
            yield _rewritten(data, pieces, source)


def _spread(make, data, count):
    """Yields at most `count` variants out of all that `make` can make, at equal distances."""
    number, build = make(data)
    for place in range(0, number, max(1, number // max(count, 1))):
        yield build(place)


def _flips(data):
    def build(bit):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        return f"bit {bit % 8} of byte {bit // 8} flipped", bytes(changed)
    return len(data) * 8, build


def _cuts(data):
    return len(data), lambda length: (f"cut to {length} bytes", data[:length])


def _overwritten(data, source):
    """Zeroes, overwrites, drops or doubles a range, or adds something at the end."""
    start, length = source.randrange(len(data)), source.choice([1, 8, 40, 100, SECTOR, 3 * SECTOR])
    action = source.randrange(6)
    where = f"{length} bytes at {start}"
    if action == 0:
        start = start // SECTOR * SECTOR
        return f"sector at {start} zeroed", data[:start] + bytes(len(data[start:start + SECTOR])) + data[start + SECTOR:]
    if action == 1:
        return f"{where} zeroed", data[:start] + bytes(len(data[start:start + length])) + data[start + length:]
    if action == 2:
        noise = source.randbytes(len(data[start:start + length]))
        return f"{where} overwritten", data[:start] + noise + data[start + length:]
    start = start // 8 * 8
    if action == 3:
        return f"{length} bytes at {start} dropped", data[:start] + data[start + length:]
    if action == 4:
        return f"{length} bytes at {start} doubled", data[:start + length] + data[start:]
    tail = bytes(source.choice([8, 40, 48, 1000])) + source.choice([b"", b"\1", data[-200:]])
    return f"{len(tail)} bytes added", data + tail


class _Piece:
    """A frame taken apart, to be put together again at another place."""

    def __init__(self, frame):
        self.kind, self.flags, self.zero = frame.type, frame.flags, 0
        self.stored, self.raw_length = frame.stored, frame.raw_length
        self.sequence, self.synced, self.offset = frame.sequence, frame.synced, frame.offset

    def copy(self):
        twin = object.__new__(_Piece)
        twin.__dict__.update(self.__dict__)
        return twin

    def encoded(self, offset, salt, moved):
        """Returns the frame at an offset; `moved` tells where the parts of a TX frame went."""
        stored = self.stored
        if self.kind == TX and not self.flags & LZ4 and len(stored) >= 24:
            parts = min(struct.unpack_from("<I", stored, 20)[0], (len(stored) - 24) // 8)
            places = struct.unpack_from(f"<{parts}Q", stored, 24)
            stored = stored[:24] + struct.pack(f"<{parts}Q", *(moved.get(place, place) for place in places)) + stored[24 + 8 * parts:]
        synced = moved.get(self.synced, self.synced)
        fields = struct.pack("<BBHIIQQ", self.kind, self.flags, self.zero, len(stored), self.raw_length,
                             self.sequence, synced)
        seed = hash64(fields, salt ^ offset)
        frame = struct.pack("<I", seed & 0xFFFF_FFFF) + fields + struct.pack("<Q", hash64(stored, seed)) + stored
        return frame.ljust(padded8(len(frame)), b"\0")


def _pieces(data):
    """Takes a sound file made of frames apart; returns nothing for other files."""
    if len(data) < HEADER_LENGTH:
        return []
    salt = read_file_header(data).salt
    pieces, offset = [], HEADER_LENGTH
    try:
        while any(data[offset:offset + FRAME_HEADER_LENGTH]):
            frame = read_frame(data, offset, salt)
            pieces.append(_Piece(frame))
            offset = frame.end
    except (BadFrame, DecodeError):
        pass
    return pieces


def _rewritten(data, pieces, source):
    """Changes content or order of frames and makes their hashes right again."""
    pieces = [piece.copy() for piece in pieces]
    place = source.randrange(len(pieces))
    piece = pieces[place]
    action = source.randrange(10)
    if action == 0:
        name = _change_header(piece, source)
    elif action == 1:
        del pieces[place]
        name = "dropped"
    elif action == 2:
        pieces.insert(source.randrange(len(pieces) + 1), piece.copy())
        name = "doubled"
    else:
        name = _change_content(piece, source)
    trailer = TRAILER_MAGIC in data[-TRAILER_LENGTH:] and source.randrange(8) > 0
    return f"frame {place} {name}, rewritten", _joined(data, pieces, trailer)


def _change_header(piece, source):
    field = source.choice(["kind", "flags", "zero", "raw_length", "sequence", "synced"])
    width = {"kind": 8, "flags": 8, "zero": 16, "raw_length": 32}.get(field, 64)
    setattr(piece, field, getattr(piece, field) ^ 1 << source.randrange(width))
    return f"with another {field}"


def _change_content(piece, source):
    """Changes a few bytes of the raw payload, which is stored as it is then."""
    raw = bytearray(piece.stored)
    if piece.flags & LZ4 and source.randrange(4) > 0:
        raw = bytearray(_decompressed(piece))
        piece.flags &= ~LZ4
    name = "with other content"
    for _ in range(source.randrange(1, 3)):
        if not raw:
            break
        byte = source.randrange(len(raw))
        # The first bytes hold the fields that everything else depends on.
        byte = source.choice([byte, byte, min(byte, source.randrange(200))])
        action = source.randrange(7)
        if action < 3:
            raw[byte] ^= 1 << source.randrange(8)
        elif action == 3:
            raw[byte] = source.choice([0, 1, 0x7F, 0x80, 0xFF])
        elif action == 4:
            raw[byte:byte + 8] = struct.pack("<Q", source.choice([0, 1, 1 << 32, 1 << 63, MASK64]))
        elif action == 5:
            del raw[byte:byte + source.randrange(1, 9)]
        else:
            raw[byte:byte] = source.randbytes(source.randrange(1, 9))
    piece.stored = bytes(raw)
    if not piece.flags & LZ4:
        piece.raw_length = len(raw)
    return name


def _decompressed(piece):
    import lz4.block
    return lz4.block.decompress(piece.stored, uncompressed_size=piece.raw_length)


def _joined(data, pieces, trailer):
    """Puts frames behind the header of a file, and a trailer if wanted."""
    salt = read_file_header(data).salt
    out, moved, last = bytearray(data[:HEADER_LENGTH]), {}, 0
    for piece in pieces:
        last = len(out)
        moved[piece.offset] = last
        out += piece.encoded(last, salt, moved)
    if trailer:
        end = struct.pack("<QQ", last, len(out) + TRAILER_LENGTH) + data[-32:-16]
        out += end + struct.pack("<Q", hash64(end, salt)) + TRAILER_MAGIC
    return bytes(out)
