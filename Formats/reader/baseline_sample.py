"""An encoder of baselines for the tests, which shares no code with the decoder."""

import struct

import test_reader as samples
from test_reader import BYTES, COLBLOCK, DIRECTORY, OTHER, PACKED, REPLICA, SEAL, STAMP, STORE, h64, h128, sized, u16, u32, u64, varint

SIDE = 10
ENTITY = 7


def header(cut, generation, parent, created, **changes):
    """Returns the file header, whose salt follows from the cut."""
    fields = {"replica": bytes(16), "first": 0, "salt": h64(STORE + cut), "previous": 0, **changes}
    head = (b"\x89VRV\r\n\x1a\n" + u16(0) + u16(1) + u32(0) + u32(0) + bytes([3, 3]) + u16(128) + STORE
            + fields["replica"] + u64(generation) + u64(fields["first"]) + u64(fields["salt"]) + parent + u64(created)
            + u64(fields["previous"]) + u64(0))
    return head + u64(h64(head)), fields["salt"]


class Sample:
    """A table with two runs, overrides, sides and a declaration; `frames` may be changed before `encoded`."""

    def __init__(self, gap=b""):
        self.generation, self.parent, self.created = 5, h128(b"parent"), STAMP
        self.header_changes, self.gap = {}, gap
        self.creators = [b"\0" + REPLICA + varint(9) + h128(b"head") + u64(STAMP),
                         b"\1" + REPLICA + varint(4) + b"prefix!!" + varint(0) + bytes(24),
                         b"\0" + OTHER + varint(0) + bytes(24)]
        claim = u64(STAMP) + REPLICA + varint(3)
        self.declarations = [sized(b"\x01" + varint(ENTITY) + sized("Person") + b"\0") + claim + claim]
        self.columns = [(0, 0, 0), (3, 6, 0), (3, 100, 0), (4, 10, 2)]
        self.sides = [(1, b"side" * 200), (1, b""), (9, b"\xff")]
        self.runs = [(1, 70, [0, 2, 0, 0]), (3, 1, [0, 0, 1, 0])]
        self.change_seal = lambda seal: seal

    def words(self, words, attribute=0):
        return samples.words_block(3, PACKED, words, entity=ENTITY, attribute=attribute)

    def blocks(self):
        """Yields the blocks of each run: slots by column, stamps, authors, groups of overrides."""
        names = [f"name {row}".encode() for row in range(70)]
        keys = samples.bytes_block(7, BYTES, [b"key"] * 70, entity=ENTITY, attribute=3)
        yield ([[self.words([1] * 70)],
                [samples.bytes_block(6, BYTES, names[:64], entity=ENTITY, attribute=3), None], [keys],
                [samples.words_block(10, PACKED, [1 << 48 | row for row in range(1, 71)], entity=ENTITY, attribute=4)]],
               [self.words([STAMP + row for row in range(70)])], [self.words([1] * 69 + [3])],
               [[self.words([0, 0, 69]), self.words([1, 3, 0]), self.words([1, 2, 3]), self.words([1, 2, 3])]])
        yield [[self.words([2])], [None], [None], [None]], [self.words([STAMP])], [self.words([2])], []

    def encoded(self):
        """Returns the file."""
        counts = [len(self.creators), len(self.declarations), 1, len(self.sides)]
        numbers = b"\0" + varint(self.generation) + self.parent + u64(self.created)
        cut = numbers + varint(counts[0]) + bytes(3) + b"".join(self.creators)
        self.data, self.salt = header(cut, self.generation, self.parent, self.created, **self.header_changes)
        self.counts, self.raw_bytes = {COLBLOCK: 0, SIDE: 0}, 0
        self.stored = varint(0) + numbers + b"".join(map(varint, counts)) + b"".join(self.creators + self.declarations)
        self.canonical = self.stored[1:]
        self.both(varint(ENTITY) + varint(len(self.columns))
                  + b"".join(varint(tag) + bytes([kind]) + varint(target) for tag, kind, target in self.columns)
                  + varint(71) + varint(2) + varint(1) + varint(len(self.runs)))
        for (creator, rows, codes), (slots, stamps, authors, overrides) in zip(self.runs, self.blocks()):
            self.both(varint(creator) + varint(rows) + bytes(codes))
            for raw in (raw for column in slots for raw in column):
                self.both(b"\0" if raw is None else b"\1")
                if raw is not None:
                    self.block(COLBLOCK, raw)
            for raw in stamps + authors:
                self.block(COLBLOCK, raw)
            self.both(varint(len(overrides)))
            for raw in (raw for group in overrides for raw in group):
                self.block(COLBLOCK, raw)
        for kind, raw in self.sides:
            self.both(bytes([kind]))
            self.block(SIDE, raw)
        return self.ended()

    def both(self, data):
        self.stored += data
        self.canonical += data

    def frame(self, kind, raw, **options):
        place = len(self.data)
        self.data += _frame(place, kind, raw, self.salt, **options)
        return place

    def block(self, kind, raw):
        gap = 0
        if self.gap:
            gap = -len(self.data)
            self.frame(0x90, self.gap)
            gap += len(self.data)
        compress = len(raw) > 600
        place = self.frame(kind, raw, compress=compress)
        stored = struct.unpack_from("<I", self.data, place + 8)[0]
        rows = 0 if kind == SIDE else struct.unpack_from("<I", raw, 12)[0]
        tail = varint(len(raw)) + varint(rows) + h128(raw)
        self.stored += varint(gap) + varint(stored) + tail
        self.canonical += tail
        self.counts[kind] += 1
        self.raw_bytes += len(raw)

    def ended(self):
        content_hash = h128(self.canonical)
        self.raw_bytes += len(self.stored)
        directory = self.frame(DIRECTORY, self.stored)
        seal = self.change_seal(content_hash + u64(self.raw_bytes) + u32(self.counts[COLBLOCK]) + u32(self.counts[SIDE])
                                + u32(1) + u32(0) + u64(directory))
        place = self.frame(SEAL, seal)
        end = u64(place) + u64(len(self.data) + 48) + content_hash
        return self.data + end + u64(h64(end, self.salt)) + b"VRVEND\r\n"


def _frame(offset, kind, raw, salt, compress=False, sequence=0, flags=0, synced=0):
    stored = samples.lz4.block.compress(raw, store_size=False) if compress else raw
    fields = bytes([kind, flags | compress]) + bytes(2) + u32(len(stored)) + u32(len(raw)) + u64(sequence) + u64(synced)
    seed = h64(fields, salt ^ offset)
    return samples.pad(u32(seed & 0xFFFFFFFF) + fields + u64(h64(stored, seed)) + stored)
