"""Tests of the decoder: files made by a small encoder that shares no code with it."""

import base64
import io
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout

import lz4.block
import xxhash

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from varve_reader import cli, frames  # noqa: E402
from varve_reader.records import json_line, text_line  # noqa: E402

MASK = (1 << 64) - 1
STORE = bytes(range(16))
REPLICA = bytes(range(16, 32))
OTHER = bytes(range(32, 48))
SALT = 0x0123456789ABCDEF
STAMP = 0x01 << 56 | 1_700_000_000_123 << 12 | 5
REPLICAS, SCHEMA, TX, TXPART, MARK, SEAL, RECEIPT, COLBLOCK, DIRECTORY = range(1, 10)
CRITICAL, BULK, ADOPTS, PARTED, FULL = 1, 2, 4, 8, 16
PLAIN, PACKED, BITMAP, BYTES, DICTIONARY = range(1, 6)
NAN = 0x7FF8 << 48


# ---- Encoder ---------------------------------------------------------------------------------------------------

def u16(number):
    return struct.pack("<H", number)


def u32(number):
    return struct.pack("<I", number)


def u64(number):
    return struct.pack("<Q", number)


def h64(data, seed=0):
    return xxhash.xxh3_64(data, seed=seed).intdigest()


def h128(data):
    return xxhash.xxh3_128(data).digest()[::-1]


def varint(number):
    groups = [number & 0x7F]
    while number := number >> 7:
        groups.append(number & 0x7F)
    return bytes([group | 0x80 for group in groups[:-1]] + groups[-1:])


def base32(identifier):
    return base64.b32encode(identifier).decode().lower()[:26]


def zigzag(number):
    return varint(2 * number if number >= 0 else -2 * number - 1)


def sized(data):
    data = data.encode() if isinstance(data, str) else data
    return varint(len(data)) + data


def pad(data):
    return data + bytes(-len(data) % 8)


def listed(items):
    return varint(len(items)) + b"".join(items)


def obj(entity, index, serial):
    return varint(entity) + varint(index + 1) + varint(serial)


def keyed(entity, key):
    return varint(entity) + b"\0" + h128(key)


def operation(opcode, *body):
    return bytes([opcode]) + sized(b"".join(body))


def transaction(sequence, operations=(), flags=FULL, dictionary=(), depends=(), meta=b"", parts=(), inline=None,
                stamp=STAMP, era=b"\0", schema=0, count=None):
    rest = (era + varint(schema) + listed(list(dictionary)) + listed(list(depends)) + sized(meta)
            + b"".join(bytes([kind]) + varint(len(raw)) + varint(rows) + h128(raw) for kind, raw, rows in parts)
            + (b"".join(operations) if inline is None else inline))
    count = len(operations) if count is None else count
    return (bytes([1, flags, 0, 0]) + u32(32 + len(rest)) + u64(stamp) + u64(sequence) + u32(count)
            + u32(len(parts)) + rest)


def file_header(kind=1, ordinal=1, first=1, chain=bytes(16), major=0, incompatible=0, previous=0):
    head = (b"\x89VRV\r\n\x1a\n" + u16(major) + u16(1) + u32(incompatible) + u32(0) + bytes([kind, 3]) + u16(128)
            + STORE + REPLICA + u64(ordinal) + u64(first) + u64(SALT) + chain + u64(STAMP) + u64(previous) + u64(0))
    return head + u64(h64(head))


def frame(offset, kind, raw, sequence, flags=0, synced=128, compress=False):
    stored = lz4.block.compress(raw, store_size=False) if compress else raw
    fields = bytes([kind, flags | compress]) + bytes(2) + u32(len(stored)) + u32(len(raw)) + u64(sequence) + u64(synced)
    seed = h64(fields, SALT ^ offset)
    return pad(u32(seed & 0xFFFFFFFF) + fields + u64(h64(stored, seed)) + stored)


class Segment:
    """Builds a segment frame by frame."""

    def __init__(self, **header):
        self.data = file_header(**header)
        self.first = self.sequence = header.get("first", 1)
        self.chain = header.get("chain", bytes(16))
        self.pending, self.stamps, self.index, self.columns = [], [], [], []
        self.raw_bytes, self.counts = 0, [0] * 10
        self.dictionary = b""

    def add(self, kind, raw, sequence=None, **options):
        self.counts[kind if kind < 10 else 0] += 1
        self.raw_bytes += len(raw)
        offset = len(self.data)
        self.data += frame(offset, kind, raw, self.sequence if sequence is None else sequence, **options)
        return offset

    def part(self, raw, **options):
        self.pending.append(self.add(TXPART, raw, **options))

    def block(self, raw, **options):
        offset = self.add(COLBLOCK, raw, flags=2, **options)
        entity, attribute, kind, encoding, _, _, rows = struct.unpack_from("<IIBBBBI", raw)
        self.columns.append(struct.pack("<QQIIIBBH", offset, self.sequence, entity, attribute, rows, kind, encoding, 0))
        self.pending.append(offset)

    def tx(self, *transactions, **options):
        raw = self.chain + u32(len(transactions)) + u32(len(self.pending)) + b"".join(map(u64, self.pending))
        offset = self.add(TX, raw + b"".join(transactions), **options)
        start = (self.pending or [offset])[0]
        if not self.index or self.index[-1][0] >> 16 != start >> 16:
            self.index.append((start, self.sequence))
        for data in transactions:
            self.chain = h128(self.chain + h128(data))
            self.stamps.append(struct.unpack_from("<Q", data, 8)[0])
            self.sequence += 1
        self.pending = []

    def mark(self, **options):
        self.add(MARK, self.chain, **options)

    def seal(self, trailer=True):
        counts = list(self.counts)
        payload = (u64(self.first) + u64(self.sequence - 1) + u64(len(self.stamps)) + u64(min(self.stamps, default=0))
                   + u64(max(self.stamps, default=0)) + self.chain + u64(self.raw_bytes) + b"".join(map(u32, counts))
                   + u32(len(self.index)) + u32(0) + u32(len(self.dictionary)) + u32(len(self.columns))
                   + b"".join(u64(offset) + u64(sequence) for offset, sequence in self.index)
                   + pad(self.dictionary) + b"".join(self.columns))
        offset = self.add(SEAL, payload)
        if trailer:
            end = u64(offset) + u64(len(self.data) + 48) + self.chain
            self.data += end + u64(h64(end, SALT)) + b"VRVEND\r\n"
        return self


def packed(words, nullable=False, signed=False):
    order = (lambda word: word ^ 1 << 63) if signed else (lambda word: word)
    present = [word for word in words if word is not None]
    base = min(present, key=order, default=0)
    scale = math.gcd(*((word - base) & MASK for word in present)) or 1
    bases, widths, bodies = [], [], []
    for start in range(0, len(words), 128):
        cells = [None if word is None else ((word - base) & MASK) // scale for word in words[start:start + 128]]
        lowest = min((cell for cell in cells if cell is not None), default=0)
        numbers = [0 if cell is None else cell - lowest + nullable for cell in cells]
        width = max(numbers).bit_length()
        string = sum(number << place * width for place, number in enumerate(numbers))
        bases.append(lowest)
        widths.append(width)
        bodies.append(string.to_bytes((len(cells) * width + 7) // 8, "little"))
    width = next(size for size in (0, 1, 2, 4, 8) if max(bases, default=0) < 1 << 8 * size)
    return (u64(base) + u64(scale) + bytes([width]) + bytes(7) + pad(b"".join(b.to_bytes(width,
                                                                                         "little") for b in bases))
            + pad(bytes(widths)) + pad(b"".join(bodies)))


def column_block(kind, encoding, rows, data, nullable=False, entity=7, attribute=3, entries=0, dictionary=b"",
                 heap=b""):
    return (u32(entity) + u32(attribute) + bytes([kind, encoding, nullable, 0]) + u32(rows) + u32(entries)
            + u32(len(dictionary)) + u32(len(heap)) + u32(len(data)) + dictionary + pad(heap) + data)


def bits(flags):
    number = sum(flag << place for place, flag in enumerate(flags))
    return pad(number.to_bytes((len(flags) + 7) // 8, "little"))


def words_block(kind, encoding, words, **place):
    nullable, signed = None in words, kind in (2, 8)
    if encoding == PLAIN:
        data = b"".join(u64(0 if word is None else (word + nullable) & MASK) for word in words)
        return column_block(kind, PLAIN, len(words), data, nullable, **place)
    if encoding == PACKED:
        return column_block(kind, PACKED, len(words), packed(words, nullable, signed), nullable, **place)
    entries = list(dict.fromkeys(word for word in words if word is not None))
    codes = [None if word is None else entries.index(word) for word in words]
    return column_block(kind, DICTIONARY, len(words), packed(codes, nullable), nullable, entries=len(entries),
                        dictionary=b"".join(map(u64, entries)), **place)


def bytes_block(kind, encoding, cells, **place):
    nullable = None in cells
    present = [cell for cell in cells if cell is not None]
    if encoding == BYTES:
        lengths = packed([None if cell is None else len(cell) for cell in cells], nullable)
        return column_block(kind, BYTES, len(cells), lengths, nullable, heap=b"".join(present), **place)
    entries = list(dict.fromkeys(present))
    codes = [None if cell is None else entries.index(cell) for cell in cells]
    return column_block(kind, DICTIONARY, len(cells), packed(codes, nullable), nullable, entries=len(entries),
                        dictionary=packed(list(map(len, entries))), heap=b"".join(entries), **place)


def bool_block(cells, **place):
    nullable = None in cells
    presence = bits([cell is not None for cell in cells]) if nullable else b""
    return column_block(1, BITMAP, len(cells), presence + bits([bool(cell) for cell in cells]), nullable, **place)


def row_value(kind, cell):
    if cell is None:
        return b"\0"
    if kind == 2:
        return b"\x02" + zigzag(cell - (1 << 64) if cell >> 63 else cell)
    if kind == 3:
        return b"\x03" + varint(cell)
    if kind == 10:
        return b"\x0a" + obj(0, cell >> 48, cell & (1 << 48) - 1)
    if kind in (4, 8):
        return bytes([kind]) + u64(cell)
    if kind == 1:
        return bytes([1, cell])
    if kind == 14:
        return b"\x0e\0\0" + cell
    return bytes([kind]) + (sized(cell) if kind in (6, 7) else cell)


# ---- Helpers ---------------------------------------------------------------------------------------------------

def run(data, values=False, spell=text_line):
    lines = []
    status = cli.dump(bytes(data), lambda *record: lines.append(spell(*record)), values)
    return status, lines


def errors(lines):
    return [line.split("code=")[1] for line in lines if line.lstrip().startswith("error ")]


def tiny():
    segment = Segment()
    segment.tx(transaction(1, [operation(0x0F, obj(7, 0, 5))]), flags=4)
    segment.tx(transaction(2, [operation(0x10, obj(7, 0, 5))], flags=0), flags=4, synced=len(segment.data))
    return segment


def columnar():
    """A segment with TXPART and COLBLOCK frames, marks, hints and a compressed frame."""
    segment = Segment()
    segment.dictionary = varint(1) + b"\0" + OTHER
    segment.add(SCHEMA, listed([sized(b"\x01" + varint(7) + sized("Person") + b"\0")]))
    segment.add(REPLICAS, listed([segment.dictionary]))
    segment.add(0x85, b"newer hint")
    ops = [operation(0x02, obj(7, 0, serial), listed([varint(3) + b"\x06" + sized("x" * 20)])) for serial in range(1,
                                                                                                                   40)]
    stream = b"".join(ops)
    segment.part(stream[:333], compress=True)
    ids = words_block(10, PACKED, [1 << 48 | serial for serial in range(1, 201)], attribute=0)
    names = bytes_block(6, BYTES, [f"name {row}".encode() for row in range(200)])
    segment.block(ids)
    segment.block(names, compress=True)
    columns = operation(0x1F, b"\x02", varint(7), varint(200), varint(65536), b"\x01", varint(1), listed([varint(3) + b"\x06\1\0"]))
    segment.tx(transaction(1, flags=FULL | BULK | PARTED, dictionary=[segment.dictionary], count=40,
                           parts=[(TXPART, stream[:333], 0), (COLBLOCK, ids, 200), (COLBLOCK, names, 200)],
                           inline=stream[333:] + columns), flags=6)
    segment.mark(synced=len(segment.data))
    segment.tx(transaction(2, flags=0), transaction(3, flags=0), flags=4, synced=len(segment.data))
    return segment


# ---- Tests -----------------------------------------------------------------------------------------------------

class SpellingTests(unittest.TestCase):
    def test_sealed_file(self):
        segment = tiny().seal()
        status, lines = run(segment.data)
        chain = segment.chain[::-1].hex()
        self.assertEqual(status, 0)
        self.assertEqual(lines[0], f"file type=segment version=0.1 store={base32(STORE)} replica={base32(REPLICA)} "
                         f"ordinal=1 firstSequence=1 salt=0123456789abcdef prevChain={'0' * 32} created={STAMP:016x} "
                         f"previousBytes=0 bytes={len(segment.data)}")
        self.assertEqual(lines[1], "frame offset=128 type=tx flags=last stored=66 raw=66 sequence=1 synced=128")
        self.assertEqual(lines[2], "  chain previous=" + "0" * 32)
        self.assertTrue(lines[3].startswith(
            f"  transaction sequence=1 stamp={STAMP:016x} time=2023-11-14T22:13:20.123Z flags=full bytes=42 "
            "operations=1 parts=0 schema=0 hash="), lines[3])
        self.assertEqual(lines[4], "    op delete object=7/0/5")
        self.assertTrue(lines[7].endswith(f" chain={chain}"))
        self.assertEqual(lines[-2],
                         f"trailer sealOffset={lines[-4].split()[1][7:]} bytes={len(segment.data)} chain={chain}")
        self.assertTrue(lines[-1].endswith("verdict=sealed frames=3 transactions=2"))

    def test_json_has_the_same_records(self):
        data = columnar().seal().data
        text, lines = run(data)[1], run(data, spell=json_line)[1]
        self.assertEqual(len(text), len(lines))
        for line, plain in zip(lines, text):
            record = json.loads(line, object_pairs_hook=list)
            depth, kind = record[1][1], record[0][1]
            self.assertTrue(plain.startswith("  " * depth + kind))
            self.assertEqual([name for name, _ in record[2:] if f" {name}=" not in plain], [])

    def test_json_spelling(self):
        value = operation(0x02, obj(7, 0, 1), listed([varint(1) + b"\x06" + sized('a"\\\n\x01\x7fé'),
                                                      varint(2) + b"\x02\x04",
                                                      varint(3) + b"\x0c\x06" + listed([sized("q")])]))
        segment = Segment()
        segment.tx(transaction(1, [value]))
        lines = run(segment.data, spell=json_line)[1]
        self.assertIn('{"kind":"op set","depth":2,"object":"7/0/1","count":3}', lines)
        self.assertIn(r'{"kind":"field","depth":3,"tag":1,"value":"a\"\\\n\u0001\u007fé"}', lines)
        self.assertIn('{"kind":"field","depth":3,"tag":2,"value":"2"}', lines)
        self.assertIn(r'{"kind":"field","depth":3,"tag":3,"value":"array:string[\"q\"]"}', lines)

    def test_transaction_head(self):
        meta = b"".join(varint(key) + sized(content) for key, content in
                        ((1, "Ann"), (2, "edit"), (3, b"\x03"), (4, "cp"), (9, b"\xab")))
        segment = Segment()
        segment.tx(transaction(1, dictionary=[varint(1) + b"\0" + OTHER,
                                              varint(2) + b"\1" + varint(1) + varint(9) + b"12345678"],
                               depends=[varint(1) + varint(300) + b"abcdefgh"], meta=meta,
                               era=varint(4) + b"\1" * 8, schema=12, flags=FULL | CRITICAL))
        status, lines = run(segment.data)
        self.assertEqual(status, 0)
        self.assertEqual([line.strip() for line in lines[4:-1]], [
            "era number=4 opened=0101010101010101", "dictionary index=1 replica=eaqseizeeutcokbjfivsyljof4",
            "dictionary index=2 parent=1 fork=9 chain=3132333435363738",
            "depends index=1 sequence=300 chain=6162636465666768",
            'meta author="Ann"', 'meta label="edit"', "meta origin=undo", 'meta checkpoint="cp"',
            "meta key=9 bytes=ab"])
        self.assertIn("flags=critical+full bytes=", lines[3])

    def test_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file.vlog")
            for data, status in ((tiny().seal().data, 0), (tiny().data + b"\1", 4), (b"something else", 2)):
                with open(path, "wb") as file:
                    file.write(data)
                command = [sys.executable, os.path.join(HERE, "varve_reader.py"), "--jsonl", path]
                self.assertEqual(subprocess.run(command, capture_output=True).returncode, status)
            with redirect_stdout(io.StringIO()), open(os.devnull, "w") as quiet:
                old, sys.stderr = sys.stderr, quiet
                self.assertEqual(cli.main([os.path.join(folder, "missing")]), 2)
                sys.stderr = old


A, B, C = obj(7, 0, 5), obj(8, 1, 70000), keyed(9, b"key")
A_TEXT, B_TEXT, C_TEXT = "7/0/5", "8/1/70000", "9/#" + h128(b"key")[::-1].hex()
F = varint(3)
DOTS = listed([varint(1) + varint(2), varint(0) + varint(300)])
VECTOR = listed([varint(1) + varint(2) + b"abcdefgh"])
HASH = bytes(range(16))
HASH_TEXT = HASH[::-1].hex()

VALUES = [
    (b"\x01\x01", "true"), (b"\x01\0", "false"), (b"\x02" + zigzag(-(1 << 63)), str(-(1 << 63))),
    (b"\x03" + varint(MASK), str(MASK)), (b"\x04" + struct.pack("<d", 1.5e-7), "1.5e-07:3e8421f5f40d8376"),
    (b"\x04" + struct.pack("<d", 1e16), "1e+16:4341c37937e08000"), (b"\x04" + struct.pack("<d", -0.0),
                                                                    "-0.0:8000000000000000"),
    (b"\x04" + u64(NAN), "nan:7ff8000000000000"), (b"\x04" + struct.pack("<d", -math.inf), "-inf:fff0000000000000"),
    (b"\x05\x01" + zigzag(-2) + sized((1234 + 1).to_bytes(2, "little")), "decimal:-1235e-2"),
    (b"\x05\0\0\0", "decimal:0e0"),
    (b"\x06" + sized("hé\n"), '"hé\\n"'), (b"\x07\0", "data:"), (b"\x07" + sized(b"\xff\0"), "data:ff00"),
    (b"\x08" + struct.pack("<q", -5), "date:-5"), (b"\x09" + HASH, "uuid:" + HASH.hex()),
    (b"\x0a" + B, "ref:" + B_TEXT),
    (b"\x0b" + bytes(32) + varint(1000), "blob:" + "00" * 32 + "/1000"),
    (b"\x0c\x02" + listed([zigzag(-1), zigzag(2)]), "array:integer[-1,2]"),
    (b"\x0c\x06" + listed([sized("a,b"), sized("")]), 'array:string["a,b",""]'),
    (b"\x0d\x01" + sized(b"{}"), "composite:1:7b7d"),
    (b"\x0e" + C, "ref:" + C_TEXT)]

OPERATIONS = [
    (operation(1, A, b"\0", listed([F + b"\x01\1"])), [f"op create object={A_TEXT} count=1",
                                                       "  field tag=3 value=true"]),
    (operation(1, C, sized(b"key"), b"\0"), [f"op create object={C_TEXT} key=6b6579 count=0"]),
    (operation(2, A, listed([F + value for value, _ in VALUES])),
     [f"op set object={A_TEXT} count={len(VALUES)}"] + [f"  field tag=3 value={text}" for _, text in VALUES]),
    (operation(3, A, listed([F + b"\x06", varint(70000) + b"\x0e"])),
     [f"op unset object={A_TEXT} fields=3:string,70000:identityReference"]),
    (operation(3, A, b"\0"), [f"op unset object={A_TEXT} fields=none"]),
    (operation(4, A, F, B), [f"op link object={A_TEXT} field=3 target={B_TEXT}"]),
    (operation(5, A, F, B, DOTS), [f"op unlink object={A_TEXT} field=3 target={B_TEXT} dots=1:2,0:300"]),
    (operation(6, b"\1", A, F, B, varint(4)), [f"op pair state=1 a={A_TEXT} fieldA=3 b={B_TEXT} fieldB=4"]),
    (operation(7, A, F, b"\1", B, sized(b"k")), [f"op order object={A_TEXT} field=3 parent={B_TEXT} key=6b"]),
    (operation(7, A, F, b"\0"), [f"op order object={A_TEXT} field=3 parent=none"]),
    (operation(8, A, F, zigzag(-3), u64(STAMP), varint(1)),
     [f"op counterAdd object={A_TEXT} field=3 amount=-3 reset={STAMP:016x} author=1"]),
    (operation(9, A, F, zigzag(3)), [f"op counterReset object={A_TEXT} field=3 value=3"]),
    (operation(0x0A, A, F, b"\x06\1a"), [f'op setAdd object={A_TEXT} field=3 value="a"']),
    (operation(0x0B, A, F, b"\x06\1a", b"\0"), [f'op setRemove object={A_TEXT} field=3 value="a" dots=none']),
    (operation(0x0C, A, F, b"\x06\1a", b"\x01\1"), [f'op mapPut object={A_TEXT} field=3 key="a" value=true']),
    (operation(0x0D, A, F, b"\x06\1a"), [f'op mapRemove object={A_TEXT} field=3 key="a"']),
    (operation(0x0E, A, varint(2), listed([F + b"\0\x08", varint(4) + b"\x06" + sized("nil")])),
     [f"op group object={A_TEXT} group=2 count=2", "  field tag=3 value=nil type=date",
      '  field tag=4 value="nil"']),
    (operation(0x0F, C), [f"op delete object={C_TEXT}"]),
    (operation(0x10, A), [f"op undelete object={A_TEXT}"]),
    (operation(0x11, A, b"\0"), [f"op recreate object={A_TEXT} count=0"]),
    (operation(0x12, A, B), [f"op merge from={A_TEXT} into={B_TEXT}"]),
    (operation(0x13, b"\x01", varint(7), sized("P"), b"\3"), ['op schema declares=entity entity=7 label="P" flags=3']),
    (operation(0x13, b"\x02", varint(7), F, b"\x02", sized("n"), b"\2", b"\x02\x02"),
     ['op schema declares=attribute entity=7 attribute=3 type=integer label="n" flags=2 default=1']),
    (operation(0x13, b"\x03", varint(7), F, sized("l"), b"\4", varint(8), b"\0", sized("i"), b"\1\2"),
     ['op schema declares=relationship entity=7 attribute=3 label="l" relation=4 target=8 inverse=0 inverseLabel="i" rule=1 flags=2']),
    (operation(0x13, b"\x04", varint(7), b"\1", listed([F, varint(4)])),
     ["op schema declares=uniqueness entity=7 mode=1 fields=3,4"]),
    (operation(0x13, b"\x05", varint(7), b"\2", sized("g"), listed([F])),
     ['op schema declares=group entity=7 group=2 label="g" fields=3']),
    (operation(0x13, b"\x06", varint(7), sized("x"), b"\2", b"\0"),
     ['op schema declares=index entity=7 label="x" index=2 fields=none']),
    (operation(0x13, b"\x07", varint(7), b"\0"), ["op schema declares=retire entity=7 attribute=0"]),
    (operation(0x13, b"\x08", varint(2), sized("v")), ['op schema declares=version version=2 label="v"']),
    (operation(0x14, varint(9), HASH), [f"op localMarker sequence=9 chain={HASH_TEXT}"]),
    (operation(0x15, bytes(32), varint(9)), ["op blob sha256=" + "00" * 32 + " bytes=9"]),
    (operation(0x16, varint(1), b"\2", bytes(16), VECTOR),
     [f"op era number=1 act=2 baseline={'0' * 32} vector=1:2:6162636465666768"]),
    (operation(0x17, varint(1), varint(2), varint(3), HASH),
     [f"op acceptGap index=1 first=2 last=3 chain={HASH_TEXT}"]),
    (operation(0x18, STORE), ["op acceptStore store=aaaqeayeaudaocajbifqydiob4"]),
    (operation(0x19, varint(1), varint(2), HASH, listed([varint(1) + b"\0" + OTHER]), sized(b"tx"),
               listed([b"\x04" + sized(b"raw")])),
     [f"op adoption index=1 sequence=2 previous={HASH_TEXT} dictionary=1 bytes=2 parts=1"]),
    (operation(0x1A, varint(1), varint(2), b"abcdefgh"),
     ["op retireReplica index=1 sequence=2 chain=6162636465666768"]),
    (operation(0x1B, sized("t"), b"\1", b"\0"), ['op tag name="t" state=1 vector=none']),
    (operation(0x1C, A, F, b"\1\2", b"\0\3"), [f"op acknowledgeConflict object={A_TEXT} field=3 winner=1:2 loser=0:3"]),
    (operation(0x1D, sized("m"), varint(2), b"\1"), ['op migration identifier="m" ordinal=2 finished=1']),
    (operation(0x1E, A, F, varint(9), sized(b"k")), [f"op pendingLink object={A_TEXT} field=3 target=9 key=6b"]),
    (operation(0x2A, b"xy"), ["op unknown opcode=42 critical=0 bytes=7879"]),
    (operation(0xAA), ["op unknown opcode=42 critical=1 bytes="])]


class OperationTests(unittest.TestCase):
    def test_every_operation(self):
        segment = Segment()
        segment.tx(transaction(1, [body for body, _ in OPERATIONS], flags=FULL | ADOPTS))
        status, lines = run(segment.data)
        self.assertEqual([line[4:] for line in lines[4:-1]], [line for _, expected in OPERATIONS for line in expected])
        self.assertEqual(status, 0)

    def test_cut_and_longer_bodies_are_refused(self):
        for body, _ in OPERATIONS:
            if body[0] in (0x2A, 0xAA):
                continue
            content = body[2 if body[1] < 0x80 else 3:]
            for changed in (content[:-1], content + b"\0"):
                segment = Segment()
                segment.tx(transaction(1, [operation(body[0], changed)],
                                       flags=FULL | (ADOPTS if body[0] == 0x19 else 0)))
                status, lines = run(segment.data)
                self.assertEqual(status, 3, (body, changed))
                self.assertEqual(errors(lines), ["badOperation"])

    def test_bad_values(self):
        bad = [b"\x0f", b"\x01\2", b"\x02\x80\0", b"\x03" + b"\xff" * 9 + b"\2", b"\x04" + u64(NAN + 1),
               b"\x05\0\0\1\0",
               b"\x05\1\0\0", b"\x05\0\0\1\x0a", b"\x06\1\xff", b"\x07\5a", b"\x0a" + obj(7, 0, 1 << 36),
               b"\x0c\x0a\0", b"\x0d\3\0",
               b"\x0e" + A]
        for value in bad:
            segment = Segment()
            segment.tx(transaction(1, [operation(2, A, listed([F + value]))]))
            status, lines = run(segment.data)
            self.assertEqual((status, errors(lines)), (3, ["badOperation"]), value)

    def test_bad_transactions(self):
        good = transaction(1)
        cases = [(b"\2" + good[1:], "unknownVersion"), (good[:1] + b"\x30" + good[2:], "badTransaction"),
                 (good + b"\0", "badTransaction"),
                 (transaction(2), "badSequence"), (transaction(1, [operation(0x81, A, b"\0\0")]), "badOperation"),
                 (transaction(1, flags=FULL | BULK), "badTransaction"),
                 (transaction(1, dictionary=[varint(2) + b"\0" + OTHER]), "badTransaction"),
                 (transaction(1, count=1), "badTransaction"),
                 (transaction(1, meta=b"\0\0"), "badTransaction"),
                 (transaction(1, meta=b"\1\0\1\0"), "badTransaction"),
                 (transaction(1, flags=FULL | PARTED, parts=[(TXPART, b"x", 0)]), "badPart")]
        for data, code in cases:
            segment = Segment()
            segment.tx(data)
            status, lines = run(segment.data)
            self.assertEqual((status, errors(lines)), (3, [code]))
            self.assertIn("verdict=corrupt", lines[-1])

    def test_limits_of_a_transaction(self):
        overhead = len(transaction(1, [operation(0x40, b"")])) - 36
        for length, code in ((1_114_112 - overhead - 8, None), (1_114_112, "badTransaction")):
            segment = Segment()
            segment.tx(transaction(1, [operation(0x40, bytes(length))]))
            self.assertEqual(errors(run(segment.data)[1]), [code] if code else [])
        for length, code in ((2_097_151, None), (2_097_152, "badOperation")):
            field = b"\1\1\x0c\1" + varint(length) + bytes(length)
            segment = Segment()
            segment.part(operation(2, A + field))
            segment.tx(transaction(1, flags=FULL | PARTED, count=1, parts=[(TXPART, operation(2, A + field), 0)]))
            self.assertEqual(errors(run(segment.data)[1]), [code] if code else [])


def random_words(source, kind):
    if kind == 4:
        return [struct.unpack("<Q", struct.pack("<d", source.choice([source.random(), 0.0,
                                                                     -1.5])))[0] for _ in range(300)]
    if kind == 10:
        return [source.randrange(3) << 48 | source.randrange(1, 1 << 36) for _ in range(300)]
    top = source.choice([1, 2, 1000, 1 << 40, 1 << 63])
    return [(source.randrange(-top, top) * source.choice([1, 60])) & MASK for _ in range(300)]


BYTE_CELLS = {5: [b"\0\0\0", b"\1\2\1\7"], 6: [b"", "é".encode(), b"abc"], 7: [b"", b"\xff"], 9: [HASH, OTHER],
              11: [bytes(32) + b"\x05"],
              12: [b"\x06\x01\1a", b"\x02\0"], 13: [b"\1\2{}"], 14: [HASH, OTHER]}


class ColumnTests(unittest.TestCase):
    def check(self, raw, kind, cells):
        segment = Segment()
        segment.block(raw)
        lines = run(segment.data, values=True)[1]
        digest = h128(b"".join(row_value(kind, cell) for cell in cells))[::-1].hex()
        self.assertEqual(errors(lines), [], lines[-3:])
        self.assertIn(f" nullable={int(None in cells)} rows={len(cells)} ", lines[2])
        self.assertIn(f" values={digest} first=", lines[2])
        self.assertEqual(sum(line.startswith("    row index=") for line in lines), len(cells))

    def test_words(self):
        source = random.Random(1)
        for kind in (2, 3, 4, 8, 10):
            for encoding in (PLAIN, PACKED, DICTIONARY):
                cells = random_words(source, kind)
                self.check(words_block(kind, encoding, cells), kind, cells)
                if encoding != PLAIN or kind == 4:
                    nullable = [cell if source.random() < 0.7 else None for cell in cells]
                    nullable[128:256] = [None] * 128
                    self.check(words_block(kind, encoding, nullable), kind, nullable)
                    self.check(words_block(kind, encoding, [None] * 9), kind, [None] * 9)

    def test_bytes(self):
        source = random.Random(2)
        for kind, choices in BYTE_CELLS.items():
            for encoding in (BYTES, DICTIONARY):
                cells = [source.choice(choices) for _ in range(200)]
                self.check(bytes_block(kind, encoding, cells), kind, cells)
                cells[5] = cells[199] = None
                self.check(bytes_block(kind, encoding, cells), kind, cells)
                self.check(bytes_block(kind, encoding, [None] * 9), kind, [None] * 9)

    def test_bools(self):
        for cells in ([1], [0, 1] * 50, [1, None, 0] * 43, [None] * 8):
            self.check(bool_block(cells), 1, cells)

    def test_extreme_words(self):
        for cells in ([0, MASK], [1 << 63, (1 << 63) - 1], [MASK] * 3, [5]):
            for kind in (2, 3):
                self.check(words_block(kind, PACKED, cells), kind, cells)

    def test_spelling(self):
        segment = Segment()
        segment.block(words_block(10, PACKED, [2 << 48 | 9, 1 << 48 | 5], attribute=0))
        segment.block(bytes_block(14, BYTES, [HASH, HASH]))
        lines = run(segment.data)[1]
        self.assertTrue(lines[2].endswith(" first=ref:0/2/9 last=ref:0/1/5"))
        self.assertTrue(lines[2].startswith("  block entity=7 attribute=0 type=reference encoding=packed nullable=0 rows=2 dictionary=0 "))
        self.assertTrue(lines[4].endswith(f" first=ref:0/#{HASH_TEXT} last=ref:0/#{HASH_TEXT}"))

    def test_bad_blocks(self):
        section = packed([1, 2, 3])
        bad = [column_block(3, PLAIN, 1, u64(1), nullable=True), column_block(1, PACKED, 3, section),
               column_block(3, 6, 3, section),
               column_block(3, PACKED, 0, section), column_block(3, PACKED, 200, section),
               column_block(3, PACKED, 3, section + bytes(8)),
               column_block(3, PACKED, 3, section[:8] + u64(0) + section[16:]),
               column_block(3, PACKED, 3, section[:16] + b"\3" + section[17:]),
               column_block(3, PACKED, 3, section[:24] + b"\x41" + section[25:]),
               column_block(1, BITMAP, 3, bits([1, 1, 1, 1])),
               column_block(1, BITMAP, 2, bits([0, 1]) + bits([1, 1]), nullable=True),
               column_block(4, PLAIN, 1, u64(NAN + 1)),
               column_block(6, BYTES, 1, packed([2]), heap=b"a"),
               column_block(6, BYTES, 1, packed([1]), heap=b"\xff"),
               column_block(9, BYTES, 1, packed([1]), heap=b"a"), column_block(5, BYTES, 1, packed([0])),
               column_block(3, DICTIONARY, 2, packed([0, 2]), entries=2, dictionary=u64(1) + u64(2)), b"", bytes(32)]
        for raw in bad:
            segment = Segment()
            segment.add(COLBLOCK, raw)
            status, lines = run(segment.data)
            self.assertEqual((status, errors(lines)), (3, ["badColumn"]), raw)

    def test_rules_for_writers_only(self):
        good = [(column_block(3, PACKED, 2, packed([4, 5])[:32] + pad(b"\3")), ["5", "5"]),
                (column_block(10, PLAIN, 1, u64(0)), ["ref:0/0/0", "ref:0/0/0"]),
                (column_block(3, DICTIONARY, 2, packed([1, 0]), entries=2, dictionary=u64(1) + u64(2)), ["2", "1"]),
                (column_block(3, DICTIONARY, 2, packed([0, 1]), entries=2, dictionary=u64(1) + u64(1)), ["1", "1"]),
                (column_block(3, DICTIONARY, 2, packed([0, 0]), entries=2, dictionary=u64(1) + u64(2)), ["1", "1"])]
        for raw, (first, last) in good:
            segment = Segment()
            segment.block(raw)
            lines = run(segment.data)[1]
            self.assertEqual(errors(lines), [], raw)
            self.assertTrue(lines[2].endswith(f" first={first} last={last}"), lines[2])

    def test_groups(self):
        ids = words_block(10, PACKED, [1, 2], attribute=0)
        keys, key_ids = bytes_block(7, BYTES, [b"a", b"b"], attribute=0), bytes_block(14, BYTES,
                                                                                      [h128(b"a"), h128(b"b")],
                                                                                      attribute=0)
        flag = bool_block([1, 0])
        edge = words_block(10, PACKED, [1, 2])
        declared, edges, untargeted = varint(3) + b"\1\0\0", varint(3) + b"\x0a\0\x08", varint(3) + b"\x0a\0\0"
        cases = [((1, b"\0\0\1", [declared]), [flag], None), ((3, b"\1", []), [ids], None),
                 ((4, b"\1", [edges]), [ids, edge], None),
                 ((1, b"\2", [declared]), [key_ids, keys, flag], None),
                 ((4, b"\1", [untargeted]), [ids, edge], None), ((4, b"\1", [declared]), [ids, flag], "badOperation"),
                 ((1, b"\2", [declared]), [key_ids, flag], "badPart"), ((2, b"\2", [declared]), [key_ids, flag], None),
                 ((3, b"\1", [declared]), [ids, flag], "badOperation"), ((2, b"\1", [declared]), [ids], "badPart"),
                 ((2, b"\1", [declared]), [ids, edge], "badColumn"), ((2, b"\1", [declared]), [flag, ids], "badColumn")]
        for (form, how, columns), blocks, code in cases:
            segment = Segment()
            for raw in blocks:
                segment.block(raw)
            body = operation(0x1F, bytes([form]), varint(7), varint(2), varint(64), how, b"\0", listed(columns))
            segment.tx(transaction(1, [body], flags=FULL | BULK, parts=[(COLBLOCK, raw, 2) for raw in blocks]))
            lines = run(segment.seal().data)[1]
            self.assertEqual(errors(lines), [code] if code else [], (form, how, columns))


class DamageTests(unittest.TestCase):
    def test_sound_files(self):
        for build in (tiny, columnar):
            self.assertEqual(run(build().data)[0], 0)
            self.assertEqual(run(build().data + bytes(1000))[1][-1].split()[2], "verdict=clean")
            self.assertEqual(run(build().seal().data + bytes(24))[1][-1].split()[2], "verdict=sealed")
        self.assertEqual(run(Segment().seal().data)[0], 0)

    def test_truncations_of_an_open_file(self):
        data = tiny().data
        ends = {128: 0, 240: 1, 352: 2}
        self.assertEqual(len(data), 352)
        for length in range(8, len(data) + 1):
            status, lines = run(data[:length])
            accepted = max((end for end in ends if end <= length), default=0)
            self.assertEqual(lines[-1].split()[1], f"offset={accepted}")
            self.assertEqual(status, 0 if length in ends else 4, length)

    def test_truncations_of_a_sealed_file(self):
        data = columnar().seal().data
        for length in range(8, len(data)):
            status, lines = run(data[:length])
            self.assertIn(lines[-1].split()[2], ("verdict=clean", "verdict=torn"), (length, lines[-3:]))

    def test_every_flipped_bit_of_a_small_file_is_found(self):
        data = bytearray(tiny().seal().data)
        for place in range(len(data)):
            for bit in range(8):
                data[place] ^= 1 << bit
                status, lines = run(data)
                self.assertEqual(status, 2 if place < 8 else 3, (place, bit))
                self.assertTrue(place < 8 or "verdict=corrupt" in lines[-1] or "verdict=suspect" in lines[-1])
                data[place] ^= 1 << bit

    def test_a_flipped_bit_in_every_byte_is_found(self):
        data = bytearray(columnar().seal().data)
        for place in range(8, len(data)):
            data[place] ^= 1 << place % 8
            self.assertEqual(run(data)[0], 3, place)
            data[place] ^= 1 << place % 8

    def test_zeroed_and_replaced_ranges(self):
        source = random.Random(3)
        good = columnar().seal().data
        for _ in range(400):
            data = bytearray(good)
            start, length = source.randrange(8, len(data)), source.randrange(1, 900)
            data[start:start + length] = bytes(length) if source.random() < 0.5 else source.randbytes(length)
            run(data)

    def test_content_that_is_valid_by_its_hashes(self):
        source = random.Random(4)
        stream = b"".join(body for body, _ in OPERATIONS)
        blocks = [words_block(2, PACKED, [1, None, 500] * 50), bytes_block(6, DICTIONARY, [b"a", b"bc", None] * 9),
                  bool_block([1, None])]
        for _ in range(1500):
            segment = Segment()
            for raw in blocks:
                segment.add(COLBLOCK, mutated(source, raw))
            for kind in (REPLICAS, SCHEMA, MARK, TXPART, SEAL):
                segment.add(kind, mutated(source, listed([sized(b"\x08\1\1a")]) + bytes(150)))
            segment.tx(mutated(source, transaction(1, inline=mutated(source, stream), count=len(OPERATIONS))))
            run(segment.data)

    def test_torn_group(self):
        segment = tiny()
        end = len(segment.data)
        for sequence in (3, 4):
            segment.tx(transaction(sequence, [operation(0x2A, b"a" * 600)], flags=0), synced=end)
        data = bytearray(segment.data)
        data[end:512] = bytes(512 - end)
        status, lines = run(data)
        self.assertEqual((status, errors(lines)), (4, ["truncated"]))
        self.assertTrue(any(line.startswith(f"resync offset={end + 704} skipped=704") for line in lines), lines)
        self.assertIn(f"end offset={end} verdict=torn frames=3 transactions=3", lines[-1])

    def test_verdicts(self):
        base = tiny()
        end = len(base.data)
        rotten = bytearray(base.data)
        rotten[300] ^= 1
        self.assertIn("verdict=suspect", run(rotten)[1][-1])
        base.mark(synced=end)
        promised = bytearray(base.data)
        promised[300] ^= 1
        self.assertIn(" verdict=corrupt", run(promised)[1][-1])
        parts = tiny()
        parts.part(b"x")
        self.assertEqual((run(parts.data)[0], run(parts.data)[1][-1]),
                         (4, f"end offset={end} verdict=torn frames=3 transactions=2"))

    def test_frame_rules(self):
        cases = [(dict(kind=12, raw=b""), "unknownFrame"), (dict(kind=MARK, raw=HASH), "badChain"),
                 (dict(kind=MARK, raw=bytes(16), sequence=9), "badSequence"),
                 (dict(kind=MARK, raw=bytes(16), synced=136), "badLength"),
                 (dict(kind=MARK, raw=bytes(16), flags=8), "badPadding"), (dict(kind=MARK, raw=bytes(15)), "badLength"),
                 (dict(kind=TXPART, raw=b"abc", flags=1), "badCompression"),
                 (dict(kind=SEAL, raw=bytes(120)), "badSeal"),
                 (dict(kind=RECEIPT, raw=bytes((4 << 20) + 1)), "badLength")]
        for options, code in cases:
            segment = Segment()
            segment.add(**options)
            self.assertEqual(errors(run(segment.data)[1])[0], code)
        segment = Segment()
        segment.part(b"x")
        segment.mark()
        self.assertEqual(errors(run(segment.data)[1]), ["badPart"])
        self.assertEqual(errors(run(tiny().seal().data + b"x")[1]), ["badTrailer"])
        self.assertEqual(errors(run(tiny().seal(trailer=False).data + bytes(48))[1]), ["badTrailer"])

    def test_a_match_with_the_offset_0_is_refused(self):
        zero = b"\x10A\0\0\x50behin"
        long = b"\xf0\xff\x1e" + bytes(300) + b"\1\0\x0f\7\0\xff\3\0\0\0\x50behin"
        for stored in (zero, long):
            self.assertTrue(frames.has_zero_match(stored))
        for raw in (bytes(5000), b"abcde" * 400, random.Random(3).randbytes(3000) + bytes(900)):
            self.assertFalse(frames.has_zero_match(lz4.block.compress(raw, store_size=False)))

    def test_file_header_rules(self):
        for options, code in ((dict(major=1), "unknownVersion"), (dict(incompatible=2), "unknownVersion"),
                              (dict(kind=2), "unknownVersion"),
                              (dict(first=0), "badHeader"), (dict(ordinal=0), "badHeader")):
            status, lines = run(file_header(**options))
            self.assertEqual((status, errors(lines)), (3, [code]))
        for kind in (4, 5, 6, 7, 8):
            self.assertEqual(run(file_header(kind=kind))[0], 0)
        # A baseline ends with a trailer; its header alone is none.
        self.assertEqual(run(file_header(kind=3))[0], 3)

    def test_later_segment(self):
        segment = Segment(ordinal=5, first=100, chain=HASH, previous=4096)
        segment.tx(transaction(100))
        self.assertEqual(run(segment.seal().data)[0], 0)


def mutated(source, data):
    """Changes, drops or adds a few bytes, or nothing at all."""
    data = bytearray(data)
    for _ in range(source.randrange(3)):
        place = source.randrange(len(data))
        action = source.randrange(4)
        if action == 0:
            data[place] = source.choice([0, 1, 0x7F, 0x80, 0xFF])
        elif action == 1:
            data[place] ^= 1 << source.randrange(8)
        elif action == 2:
            del data[place:place + source.randrange(1, 5)]
            data += b"\0"
        else:
            data[place:place] = source.randbytes(source.randrange(1, 5))
    return bytes(data)


def slot(index, counter, flags=1):
    head = (b"\x89VRS\r\n\x1a\n" + u16(0) + u16(1) + u32(0) + u32(0) + u32(flags) + STORE + REPLICA + u64(counter) + u64(2) + u64(300)
            + u64(400) + u64(9) + HASH + u64(STAMP) + u64(77) + u64(0xAB) + u64(0xCD) + u64(5))
    head = head.ljust(248, b"\0")
    return (head + u64(h64(head, index))).ljust(4096, b"\0")


class SuperblockTests(unittest.TestCase):
    def test_two_slots(self):
        status, lines = run(slot(0, 4) + slot(1, 3, flags=0))
        self.assertEqual(status, 0)
        self.assertEqual(lines[:2] + lines[3:4] + lines[5:], ["superblock bytes=8192", "slot index=0 state=valid",
                                                              "slot index=1 state=valid", "end chosen=0"])
        self.assertIn(" counter=4 flags=clean openOrdinal=2 durableMark=300 lastAccepted=400 lastSequence=9 chain=" + HASH_TEXT
                      + f" maxStamp={STAMP:016x} inode=77 host=00000000000000ab baseline=00000000000000cd baselineBytes=5", lines[2])
        self.assertIn(" flags=none ", lines[4])

    def test_states(self):
        self.assertEqual(run(bytes(4096) + slot(1, 1)), (0, run(bytes(4096) + slot(1, 1))[1]))
        self.assertIn("slot index=0 state=empty", run(bytes(4096) + slot(1, 1))[1])
        self.assertEqual(run(slot(0, 3) + bytes(4096))[1][-1], "end chosen=none")
        self.assertEqual(run(slot(0, 4) + slot(1, 5)[:99])[0], 3)
        self.assertEqual(run(bytes(8192))[0], 2)

    def test_flipped_bits_and_truncations(self):
        data = bytearray(slot(0, 4) + slot(1, 3))
        for place in range(len(data)):
            data[place] ^= 1 << place % 8
            self.assertEqual(run(data)[0], 3)
            data[place] ^= 1 << place % 8
        for length in range(8, len(data)):
            self.assertEqual(run(data[:length])[0], 3)


if __name__ == "__main__":
    unittest.main()
