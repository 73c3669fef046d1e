"""Baselines: SEAL, directory and the rules that tie a whole file together (Baseline.md)."""

from dataclasses import dataclass, field

from . import columns, limits, values
from .frames import COLBLOCK, DIRECTORY, HEADER_LENGTH, LZ4, SEAL, SIDE, BadFrame, read_frame
from .primitives import Cursor, DecodeError, encode_varint, hash128, hash64, padded8
from .records import hash_text, hex64, identifier, listing
from .schema import read_schema
from .seal import TRAILER_LENGTH

CODE = "badDirectory"
LIFE, ORDER_KEY = 0, 100
BLOCK_SIZES = (65_536, 4_096, 64)
FRAME_HEADER = 40


@dataclass(frozen=True)
class BaselineSeal:
    """The content of the SEAL frame of a baseline."""

    content_hash: bytes
    raw_bytes: int
    blocks: int
    sides: int
    directories: list

    def fields(self):
        """Returns the fields of its record."""
        return [("contentHash", hash_text(self.content_hash)), ("rawBytes", self.raw_bytes), ("blocks", self.blocks),
                ("sides", self.sides), ("directories", len(self.directories))]


def read_baseline_seal(raw):
    """Decodes the payload of the SEAL frame of a baseline."""
    cursor = Cursor(raw, "badSeal")
    content_hash, raw_bytes = cursor.take(16), cursor.u64()
    blocks, sides, count = cursor.u32(), cursor.u32(), cursor.u32()
    cursor.zeros(4)
    cursor.require(1 <= count <= limits.DIRECTORIES and cursor.remaining() == count * 8)
    return BaselineSeal(content_hash, raw_bytes, blocks, sides, [cursor.u64() for _ in range(count)])


def require(condition):
    """Refuses the baseline unless the condition holds."""
    if not condition:
        raise DecodeError(CODE)


@dataclass(frozen=True)
class Block:
    """A frame as the directory names it."""

    offset: int
    stored: int
    raw: int
    rows: int
    hash: bytes

    @property
    def end(self):
        """Returns the offset behind the frame."""
        return self.offset + padded8(FRAME_HEADER + self.stored)

    def fields(self):
        """Returns the fields that every record about a block ends with."""
        return [("rows", self.rows), ("offset", self.offset), ("stored", self.stored), ("raw", self.raw),
                ("hash", hash_text(self.hash))]


@dataclass
class Run:
    """The rows of one creator in one table."""

    creator: int
    rows: int
    sizes: list
    columns: list = field(default_factory=list)
    stamps: list = field(default_factory=list)
    authors: list = field(default_factory=list)
    overrides: list = field(default_factory=list)


@dataclass
class Table:
    """The objects of one entity; columns are (tag, kind, target)."""

    entity: int
    columns: list
    counts: list
    runs: list = field(default_factory=list)


class Directory:
    """Reads the records of a directory, frame by frame, and keeps what they say."""

    def __init__(self, payloads, limit):
        self.payloads, self.limit = payloads, limit
        self.next_frame, self.cursor = 0, Cursor(b"", CODE)
        self.end, self.slots = HEADER_LENGTH, 0
        self.canonical, self.cut = bytearray(), b""
        self.creators, self.declarations, self.tables, self.sides = [], [], [], []
        self._read()

    # Records

    def _record(self):
        """Returns the cursor at the start of the next record."""
        if not self.cursor.remaining():
            require(self.next_frame < len(self.payloads))
            self.cursor = Cursor(self.payloads[self.next_frame], CODE)
            require(self.cursor.varint() == self.next_frame)
            require(self.cursor.remaining() > 0)
            self.next_frame += 1
        return self.cursor

    def _plain(self, read):
        """Reads a record without a block."""
        cursor = self._record()
        start = cursor.position
        value = read(cursor)
        self.canonical += cursor.data[start:cursor.position]
        return value

    def _block(self, cursor, rows):
        """Reads a BLOCK; any number of rows is right when `rows` is None."""
        gap, stored = cursor.varint(), cursor.varint()
        start = cursor.position
        raw, count, digest = cursor.varint(), cursor.varint(), cursor.take(16)
        self.canonical += cursor.data[start:cursor.position]
        require(stored <= raw <= limits.RAW_PAYLOAD and gap % 8 == 0)
        require(1 <= count <= limits.BLOCK_ROWS if rows is None else count == rows)
        block = Block(self.end + gap, stored, raw, count, digest)
        require(block.end <= self.limit)
        self.end = block.end
        return block

    def _next_block(self, rows):
        self._take_slot()
        return self._block(self._record(), rows)

    def _take_slot(self):
        self.slots += 1
        require(self.slots <= limits.SLOTS)

    # Structure

    def _read(self):
        counts = self._plain(self._head)
        for _ in range(counts[0]):
            self.creators.append(self._plain(_creator))
        _require_ascending([creator[0] for creator in self.creators])
        self._derive_cut(counts)
        for _ in range(counts[1]):
            self.declarations.append(self._plain(_declaration))
        _require_ascending([declaration[0] for declaration in self.declarations])
        for _ in range(counts[2]):
            self.tables.append(self._table())
            _require_ascending([table.entity for table in self.tables[-2:]])
        for _ in range(counts[3]):
            self._take_slot()
            cursor = self._record()
            kind = cursor.u8()
            self.canonical.append(kind)
            self.sides.append((kind, self._block(cursor, 0)))
            require(len(self.sides) < 2 or self.sides[-2][0] <= kind)
        require(not self.cursor.remaining() and self.next_frame == len(self.payloads))

    def _head(self, cursor):
        self.era = cursor.varint()
        self.opened = cursor.take(8) if self.era else b""
        self.generation = cursor.varint((1 << 40) - 1)
        self.parent, self.max_stamp = cursor.take(16), cursor.u64()
        self.fixed_head = bytes(cursor.data[cursor.position - 24:cursor.position])
        return [cursor.varint(limit) for limit in (limits.DICTIONARY, limits.DECLARATIONS, limits.TABLES, limits.SLOTS)]

    def _derive_cut(self, counts):
        """Keeps what the salt is made of: HEAD with zero counts but that of creators, and the creators."""
        head = (encode_varint(self.era) + self.opened + encode_varint(self.generation) + self.fixed_head
                + encode_varint(counts[0]))
        rest = sum(len(encode_varint(count)) for count in counts[1:])
        self.cut = head + bytes(3) + bytes(self.canonical[len(head) + rest:])

    def _table(self):
        table, runs = self._plain(self._table_head)
        keys = [(kind != LIFE, tag, kind) for tag, kind, _ in table.columns]
        _require_ascending(keys)
        require(all(kind in (LIFE, ORDER_KEY) or kind <= values.IDENTITY for _, kind, _ in table.columns))
        for _ in range(runs):
            table.runs.append(self._run(len(table.columns)))
            _require_ascending([run.creator for run in table.runs[-2:]])
        return table

    def _table_head(self, cursor):
        entity, count = cursor.varint(limits.TAG), cursor.varint(limits.GROUP_COLUMNS)
        listed = [(cursor.varint(limits.TAG), cursor.u8(), cursor.varint(limits.TAG)) for _ in range(count)]
        counts = [cursor.varint() for _ in range(3)]
        return Table(entity, listed, counts), cursor.varint(len(self.creators) + 1)

    def _run(self, column_count):
        run = self._plain(lambda cursor: Run(
            cursor.varint(len(self.creators)), cursor.varint(limits.SERIAL),
            [cursor.choice(0, 1, 2) for _ in range(column_count)]))
        require(run.rows >= 1)
        run.sizes = [BLOCK_SIZES[code] for code in run.sizes]
        for size in run.sizes:
            run.columns.append([self._slot(rows) for rows in _cut(run.rows, size)])
        run.stamps = [self._next_block(rows) for rows in _cut(run.rows, limits.BLOCK_ROWS)]
        run.authors = [self._next_block(rows) for rows in _cut(run.rows, limits.BLOCK_ROWS)]
        run.overrides = [self._overrides(column_count) for _ in _cut(run.rows, limits.BLOCK_ROWS)]
        return run

    def _slot(self, rows):
        self._take_slot()
        cursor = self._record()
        code = cursor.choice(0, 1)
        self.canonical.append(code)
        return self._block(cursor, rows) if code else None

    def _overrides(self, column_count):
        count = self._plain(lambda cursor: cursor.varint(column_count))
        groups = []
        for number in range(count):
            first = self._next_block(None)
            groups.append([first, *(self._next_block(first.rows) for _ in range(3))])
            require(first.rows == limits.BLOCK_ROWS or number == count - 1)
        return groups

    # What it names

    def blocks(self):
        """Yields (block, what its column block has to be, what its words are for) in the order of the file."""
        for table in self.tables:
            for run in table.runs:
                for (tag, kind, _), slots in zip(table.columns, run.columns):
                    kind = {LIFE: values.UNSIGNED, ORDER_KEY: values.DATA}.get(kind, kind)
                    yield from ((block, (table.entity, tag, kind), None) for block in slots if block)
                mark = (table.entity, 0, values.UNSIGNED)
                yield from ((block, mark, "birth") for block in run.stamps)
                yield from ((block, mark, "creator") for block in run.authors)
                for number, groups in enumerate(run.overrides):
                    rows = min(limits.BLOCK_ROWS, run.rows - number * limits.BLOCK_ROWS)
                    place = Overrides(rows, len(table.columns))
                    for group in groups:
                        yield from ((block, mark, role) for block, role in zip(group, (place.rows_of, place.columns_of, "stamp", "author")))
        yield from ((block, None, None) for _, block in self.sides)

    def emit(self, emit):
        """Emits the records of the directory."""
        era = [("opened", self.opened.hex())] if self.era else []
        emit(0, "directory", [("era", self.era), *era, ("generation", self.generation),
                              ("parent", hash_text(self.parent)), ("maxStamp", hex64(self.max_stamp)),
                              ("creators", len(self.creators)), ("declarations", len(self.declarations)),
                              ("tables", len(self.tables)), ("sides", len(self.sides))])
        for index, (_, fields) in enumerate(self.creators, 1):
            emit(1, "creator", [("index", index), *fields])
        for _, fields in self.declarations:
            emit(1, "schema", fields)
        for table in self.tables:
            _emit_table(table, emit)
        for kind, block in self.sides:
            emit(1, "side", [("form", kind), *block.fields()])


class Overrides:
    """Checks the rows and columns of the overrides of one block of rows."""

    def __init__(self, rows, column_count):
        self.rows, self.column_count = rows, column_count
        self.last, self.pending = (-1, -1), []

    def rows_of(self, words):
        """Keeps rows until their columns come."""
        self.pending = words

    def columns_of(self, words):
        """Checks places and their order."""
        for place in zip(self.pending, words):
            require(place[0] < self.rows and place[1] < self.column_count and self.last < place)
            self.last = place


def _cut(rows, size):
    """Yields the rows of each block."""
    return (min(size, rows - start) for start in range(0, rows, size))


def _require_ascending(keys):
    require(all(a < b for a, b in zip(keys, keys[1:])))


def _creator(cursor):
    kind, replica = cursor.choice(0, 1), cursor.take(16)
    if kind:
        fork, prefix = cursor.varint(), cursor.take(8)
        key = (replica, 1, fork, prefix)
        fields = [("parent", identifier(replica)), ("fork", fork), ("prefix", prefix.hex())]
    else:
        key, fields = (replica, 0), [("replica", identifier(replica))]
    return key, [*fields, ("sequence", cursor.varint()), ("chain", hash_text(cursor.take(16))),
                 ("stamp", hex64(cursor.u64()))]


def _declaration(cursor):
    body = cursor.nested(cursor.varint())
    data = bytes(body.data[body.position:body.end])
    fields = read_schema(body)
    body.expect_end()
    for name in ("latest", "earliest"):
        fields += [(name, hex64(cursor.u64())), (name + "Author", identifier(cursor.take(16))),
                   (name + "Ordinal", cursor.varint())]
    return data, fields


def _emit_table(table, emit):
    created, dead, hidden = table.counts
    emit(1, "table", [("entity", table.entity), ("created", created), ("dead", dead), ("hidden", hidden),
                      ("columns", len(table.columns)), ("runs", len(table.runs))])
    for tag, kind, target in table.columns:
        emit(2, "column", [("tag", tag), ("form", kind), ("target", target)])
    for run in table.runs:
        emit(2, "run", [("creator", run.creator), ("rows", run.rows), ("blockRows", listing(map(str, run.sizes)))])
        for column, slots in enumerate(run.columns):
            for number, block in enumerate(slots):
                emit(3, "cells", [("column", column), ("block", number), *(block.fields() if block else [("rows", 0)])])
        for kind, blocks in (("stamps", run.stamps), ("authors", run.authors)):
            for number, block in enumerate(blocks):
                emit(3, kind, [("block", number), *block.fields()])
        for number, groups in enumerate(run.overrides):
            for group in groups:
                for block in group:
                    emit(3, "overrides", [("block", number), *block.fields()])


class Baseline:
    """A whole file, held to all rules; raises DecodeError or BadFrame when one does not hold."""

    def __init__(self, data, header):
        self.data, self.header = data, header
        trailer = Cursor(data, CODE, len(data) - TRAILER_LENGTH)
        self.seal_offset, length, chain = trailer.u64(), trailer.u64(), trailer.take(16)
        check = trailer.u64()
        require(check == hash64(data[-TRAILER_LENGTH:-16], header.salt) and trailer.take(8) == b"VRVEND\r\n")
        require(length == len(data) and self.seal_offset >= HEADER_LENGTH and self.seal_offset % 8 == 0)
        require(self.seal_offset < len(data) - TRAILER_LENGTH)
        frame = self._frame(self.seal_offset, SEAL, len(data) - TRAILER_LENGTH)
        self.seal = read_baseline_seal(frame.raw())
        require(frame.end == len(data) - TRAILER_LENGTH and self.seal.content_hash == chain)
        self.directory_frames = self._directory_frames()
        self.directory = Directory([frame.raw() for frame in self.directory_frames], self.seal.directories[0])
        require(hash128(bytes(self.directory.canonical)) == self.seal.content_hash)
        self._check_header()
        self._check_frames()

    def _frame(self, offset, kind, limit):
        """Reads a frame that has to be of a type and to end below a limit."""
        frame = read_frame(self.data, offset, self.header.salt)
        require(frame.end <= limit and frame.type == kind)
        require(frame.sequence == 0 and frame.synced == 0 and not frame.flags & ~LZ4)
        return frame

    def _directory_frames(self):
        places, next_place = self.seal.directories, HEADER_LENGTH
        for place in places:
            require(next_place <= place < self.seal_offset and place % 8 == 0)
            next_place = place + FRAME_HEADER
        ends = [*places[1:], self.seal_offset]
        return [self._frame(place, DIRECTORY, end) for place, end in zip(places, ends)]

    def _check_header(self):
        header, directory = self.header, self.directory
        require(header.replica == bytes(16) and header.ordinal == directory.generation)
        require(header.salt == hash64(header.store + directory.cut) and header.previous_chain == directory.parent)
        require(header.created == directory.max_stamp and header.previous_bytes == 0)

    def _check_frames(self):
        position, counts, raw_bytes = HEADER_LENGTH, {COLBLOCK: 0, SIDE: 0}, 0
        self._births = []
        for block, expected, role in self.directory.blocks():
            kind = SIDE if expected is None else COLBLOCK
            self._skip(position, block.offset)
            frame = self._frame(block.offset, kind, self.seal_offset)
            require(frame.stored_length == block.stored and frame.raw_length == block.raw)
            raw = frame.raw()
            require(hash128(raw) == block.hash)
            if expected:
                self._check_block(raw, block, expected, role)
            position, counts[kind], raw_bytes = block.end, counts[kind] + 1, raw_bytes + block.raw
        for frame in self.directory_frames:
            self._skip(position, frame.offset)
            position, raw_bytes = frame.end, raw_bytes + frame.raw_length
        self._skip(position, self.seal_offset)
        require((counts[COLBLOCK], counts[SIDE]) == (self.seal.blocks, self.seal.sides))
        require(raw_bytes == self.seal.raw_bytes)

    def _skip(self, position, end):
        """Only frames that a reader skips may lie here."""
        while position < end:
            frame = read_frame(self.data, position, self.header.salt)
            require(frame.end <= end and frame.is_ignorable())
            position = frame.end

    def _check_block(self, raw, block, expected, role):
        column = columns.read_block(raw)
        header = column.header
        require((header.entity, header.attribute, header.type) == expected and header.rows == block.rows)
        if role is None:
            return
        require(not header.nullable)
        words = [Cursor(piece, CODE, 1).varint() for piece in column.pieces]
        if role == "birth":
            self._births.append(words)
        elif role == "creator":
            # A row that a link names and nobody created has neither stamp nor creator.
            births = self._births.pop(0)
            require(all(word <= len(self.directory.creators) for word in words))
            require(all(word > 0 or birth == 0 for word, birth in zip(words, births)))
        elif role == "author":
            require(all(1 <= word <= len(self.directory.creators) for word in words))
        elif role != "stamp":
            role(words)


def read_baseline(data, header):
    """Returns the directory of a whole file, None when a rule does not hold."""
    try:
        return Baseline(data, header).directory
    except (BadFrame, DecodeError):
        return None
