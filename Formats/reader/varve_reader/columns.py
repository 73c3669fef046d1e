"""Column blocks: header, packed sections and the five encodings (Transaction.md, section 4)."""

import struct
from dataclasses import dataclass

from . import limits, values
from .primitives import MASK64, Cursor, encode_varint, hash128, padded8

CODE = "badColumn"
PLAIN, PACKED, BITMAP, BYTES, DICTIONARY = range(1, 6)
ENCODING_NAMES = ("", "plain", "packed", "bitmap", "bytes", "dictionary")
WORD_TYPES = frozenset((values.INTEGER, values.UNSIGNED, values.DOUBLE, values.DATE, values.REFERENCE))
BYTE_TYPES = frozenset((values.DECIMAL, values.STRING, values.DATA, values.UUID, values.BLOB, values.ARRAY,
                        values.COMPOSITE, values.IDENTITY))
STRUCTURED_TYPES = frozenset((values.DECIMAL, values.BLOB, values.ARRAY, values.COMPOSITE))
MINIBLOCK = 128
SIGN = 1 << 63
NIL = b"\x00"


@dataclass(frozen=True)
class BlockHeader:
    """The 32 bytes in front of a column block."""

    entity: int
    attribute: int
    type: int
    encoding: int
    nullable: bool
    rows: int
    entries: int
    dictionary_bytes: int
    heap_bytes: int
    data_bytes: int


@dataclass(frozen=True)
class Block:
    """A decoded column block; `pieces` are the row-form values of its rows."""

    header: BlockHeader
    pieces: list

    def values_hash(self):
        """Returns the stored hash over all rows in row form."""
        return hash128(b"".join(self.pieces))

    def spelling(self, row):
        """Spells the value of one row."""
        return values.read_column_value(Cursor(self.pieces[row], CODE))


def read_block_header(raw):
    """Reads and checks the header of a column block."""
    cursor = Cursor(raw, CODE)
    entity, attribute = cursor.u32(), cursor.u32()
    kind, encoding, flags, zero = cursor.u8(), cursor.u8(), cursor.u8(), cursor.u8()
    rows, entries, dictionary, heap, data = (cursor.u32() for _ in range(5))
    cursor.require(1 <= kind <= values.IDENTITY and flags <= 1 and zero == 0)
    cursor.require(1 <= rows <= limits.BLOCK_ROWS and entries <= rows)
    cursor.require(dictionary % 8 == 0 and data % 8 == 0)
    cursor.require(32 + dictionary + padded8(heap) + data == len(raw))
    header = BlockHeader(entity, attribute, kind, encoding, flags == 1, rows, entries, dictionary, heap, data)
    cursor.require(_encoding_fits(header))
    return header


def _encoding_fits(header):
    """Tells whether type, encoding, nullability and the optional areas go together."""
    if header.encoding != DICTIONARY and (header.entries or header.dictionary_bytes):
        return False
    words = header.type in WORD_TYPES
    has_heap_area = header.encoding in (BYTES, DICTIONARY) and not words
    if header.heap_bytes and not has_heap_area:
        return False
    if header.encoding == PLAIN:
        return words and (not header.nullable or header.type == values.DOUBLE)
    allowed = {PACKED: WORD_TYPES, BITMAP: (values.BOOL,), BYTES: BYTE_TYPES, DICTIONARY: WORD_TYPES | BYTE_TYPES}
    return header.type in allowed.get(header.encoding, ())


def read_block(raw):
    """Decodes and checks a whole column block."""
    header = read_block_header(raw)
    heap_start = 32 + header.dictionary_bytes
    data_start = heap_start + padded8(header.heap_bytes)
    Cursor(raw, CODE, heap_start + header.heap_bytes, data_start).align8()
    dictionary = Cursor(raw, CODE, 32, heap_start)
    heap = Cursor(raw, CODE, heap_start, heap_start + header.heap_bytes)
    data = Cursor(raw, CODE, data_start)
    pieces = _DECODERS[header.encoding](header, dictionary, heap, data)
    for area in (dictionary, heap, data):
        area.expect_end()
    return Block(header, pieces)


def _decode_plain(header, _dictionary, _heap, data):
    """Decodes PLAIN words."""
    words = _read_words(data, header.rows)
    if header.nullable:
        words = [word - 1 if word else None for word in words]
    return _word_pieces(data, header.type, words)


def _decode_packed(header, _dictionary, _heap, data):
    """Decodes PACKED words."""
    words = read_packed(data, header.rows, header.nullable)
    return _word_pieces(data, header.type, words)


def _decode_bitmap(header, _dictionary, _heap, data):
    """Decodes BITMAP booleans."""
    present = _read_bits(data, header.rows) if header.nullable else "1" * header.rows
    bits = _read_bits(data, header.rows)
    cells = {("1", "0"): b"\x01\x00", ("1", "1"): b"\x01\x01", ("0", "0"): NIL}
    pieces = [cells.get(pair) for pair in zip(present, bits)]
    data.require(None not in pieces)
    return pieces


def _decode_bytes(header, _dictionary, heap, data):
    """Decodes BYTES cells."""
    counts = read_packed(data, header.rows, header.nullable)
    return _byte_pieces(header.type, counts, heap)


def _decode_dictionary(header, dictionary, heap, data):
    """Decodes DICTIONARY codes and entries."""
    if header.type in WORD_TYPES:
        entries = _word_pieces(dictionary, header.type, _read_words(dictionary, header.entries))
    else:
        entries = _byte_pieces(header.type, read_packed(dictionary, header.entries, False), heap)
    codes = read_packed(data, header.rows, header.nullable)
    data.require(all(code is None or code < len(entries) for code in codes))
    return [NIL if code is None else entries[code] for code in codes]


_DECODERS = {PLAIN: _decode_plain, PACKED: _decode_packed, BITMAP: _decode_bitmap, BYTES: _decode_bytes,
             DICTIONARY: _decode_dictionary}


def _read_words(cursor, count):
    """Reads `count` u64."""
    return list(struct.unpack(f"<{count}Q", cursor.take(count * 8)))


def _read_bits(cursor, count):
    """Reads a bit string padded to 8 bytes; returns one character per bit."""
    number = int.from_bytes(cursor.take(padded8((count + 7) // 8)), "little")
    cursor.require(number >> count == 0)
    return format(number, f"0{count}b")[::-1]


def read_packed(cursor, count, nullable):
    """Reads a packed section of `count` words; nil cells come as None."""
    start = cursor.position
    base, scale, width = cursor.u64(), cursor.u64(), cursor.u8()
    cursor.zeros(7)
    cursor.require(scale >= 1 and width in (0, 1, 2, 4, 8))
    miniblocks = -(-count // MINIBLOCK)
    stored = cursor.take(miniblocks * width)
    cursor.align8(start)
    bit_widths = cursor.take(miniblocks)
    cursor.align8(start)
    words = []
    for place, bits in enumerate(bit_widths):
        lowest = int.from_bytes(stored[place * width:(place + 1) * width], "little")
        packed = _unpack(cursor, min(MINIBLOCK, count - place * MINIBLOCK), bits)
        words.extend(_scaled(packed, base + scale * lowest, scale, nullable))
    cursor.align8(start)
    return words


def _unpack(cursor, count, bits):
    """Reads `count` numbers of `bits` bits each; eight of them fill whole bytes."""
    cursor.require(bits <= 64)
    if bits == 0:
        return [0] * count
    stored = cursor.take((count * bits + 7) // 8)
    mask = (1 << bits) - 1
    shifts = range(0, 8 * bits, bits)
    numbers = []
    for place in range(0, len(stored), bits):
        group = int.from_bytes(stored[place:place + bits], "little")
        numbers += [group >> shift & mask for shift in shifts]
    return numbers[:count]


def _scaled(packed, origin, scale, nullable):
    """Turns packed numbers into words, all modulo 2^64."""
    if not nullable:
        return [origin + scale * number & MASK64 for number in packed]
    origin -= scale
    return [origin + scale * number & MASK64 if number else None for number in packed]


def _word_pieces(cursor, kind, words):
    """Returns the row form of words."""
    piece = _WORD_PIECES[kind]
    pieces = [NIL if word is None else piece(word) for word in words]
    cursor.require(None not in pieces)
    return pieces


def _integer_piece(word):
    """Returns an integer in row form."""
    zigzag = word << 1 if word < SIGN else (MASK64 - word << 1) + 1
    return b"\x02" + encode_varint(zigzag)


def _unsigned_piece(word):
    """Returns an unsigned number in row form."""
    return b"\x03" + encode_varint(word)


def _double_piece(word):
    """Returns a double in row form, None when it is a foreign NaN."""
    return None if values.is_foreign_nan(word) else b"\x04" + word.to_bytes(8, "little")


def _date_piece(word):
    """Returns a date in row form."""
    return b"\x08" + word.to_bytes(8, "little")


def _reference_piece(word):
    """Returns a reference in row form."""
    return b"\x0a\x00" + encode_varint((word >> 48) + 1) + encode_varint(word & (1 << 48) - 1)


_WORD_PIECES = {values.INTEGER: _integer_piece, values.UNSIGNED: _unsigned_piece, values.DOUBLE: _double_piece,
                values.DATE: _date_piece, values.REFERENCE: _reference_piece}


def _byte_pieces(kind, counts, heap):
    """Cuts the heap into cells and returns their row form."""
    heap.require(sum(count for count in counts if count) == heap.remaining())
    cells = [None if count is None else heap.take(count) for count in counts]
    if kind in (values.STRING, values.DATA):
        prefix = bytes([kind])
        pieces = [NIL if cell is None else prefix + encode_varint(len(cell)) + cell for cell in cells]
    else:
        prefix = b"\x0e\x00\x00" if kind == values.IDENTITY else bytes([kind])
        pieces = [NIL if cell is None else prefix + cell for cell in cells]
    _check_cells(heap, kind, cells, pieces)
    return pieces


def _check_cells(cursor, kind, cells, pieces):
    """Refuses cells that are no payload of their type."""
    if kind == values.STRING:
        _check_utf8(cursor, cells)
    elif kind in (values.UUID, values.IDENTITY):
        cursor.require(all(cell is None or len(cell) == 16 for cell in cells))
    elif kind in STRUCTURED_TYPES:
        for piece in pieces:
            inner = Cursor(piece, CODE)
            values.read_column_value(inner)
            inner.expect_end()


def _check_utf8(cursor, cells):
    """Refuses strings that are not valid UTF-8 each."""
    try:
        for cell in cells:
            if cell is not None:
                cell.decode("utf-8")
    except UnicodeDecodeError:
        cursor.fail()
