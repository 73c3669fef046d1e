"""The walk over a file made of frames, and its verdict (Segment.md, section 5)."""

from dataclasses import replace

from . import columns, frames, limits
from .baseline import CODE as DIRECTORY_CODE, read_baseline, read_baseline_seal
from .frames import (COLBLOCK, DIRECTORY, HEADER_LENGTH, LZ4, MARK, REPLICAS, SCHEMA, SEAL, SIDE, TX, TXPART, BadFrame,
                     find_frame, read_file_header, read_frame)
from .operations import CODE as OPERATION_CODE, read_dictionary_entry
from .primitives import CHAIN_ZERO, MASK64, Cursor, DecodeError, hash128, next_chain
from .records import hash_text, hex64, identifier, words
from .schema import read_schema
from .seal import CODE as SEAL_CODE, TRAILER_LENGTH, read_seal, read_trailer
from .transactions import CODE as TRANSACTION_CODE
from .transactions import FULL, PART_CODE, Part, check_parts, read_operations, read_transaction, read_tx_payload

SECTOR = 512
CLEAN, TORN, SUSPECT, CORRUPT, SEALED = "clean", "torn", "suspect", "corrupt", "sealed"
NEWER = "newer"


class SegmentWalk:
    """Walks over one file, emits records and keeps what continues from frame to frame."""

    def __init__(self, data, emit, with_values):
        self.data = data
        self.emit = emit
        self.with_values = with_values
        self.header = None
        self.accepted = 0
        self.next_sequence = None
        self.chain = None
        self.dictionary = None
        self.pending = []
        self.pending_bytes = 0
        self.data_end = len(data.rstrip(b"\0"))
        self.frame_count = 0
        self.transaction_count = 0
        self.sealed = False
        self.first_problem = None
        self.promised = False
        self.errors = 0

    def run(self):
        """Emits all records of the file and returns the verdict."""
        offset = self.start()
        while offset is not None:
            offset = self.step(offset)
        if self.is_baseline():
            self.end_baseline()
        verdict = self.verdict()
        self.emit(0, "end", [("offset", self.accepted), ("verdict", verdict), ("frames", self.frame_count),
                             ("transactions", self.transaction_count)])
        return verdict

    def is_baseline(self):
        """Tells whether the frames are those of a baseline."""
        return bool(self.header) and not self.header.problem() and self.header.kind == frames.KIND_BASELINE

    # File header

    def start(self):
        """Reads the file header; returns where frames start, None when the file cannot be walked."""
        if len(self.data) < HEADER_LENGTH:
            self.report(0, "truncated", TORN)
            return None
        self.header = read_file_header(self.data)
        code = self.header.problem()
        if code:
            self.report(0, code, NEWER if code == "unknownVersion" else CORRUPT)
            return None
        self.emit(0, "file", self.header_fields())
        self.accepted = HEADER_LENGTH
        self.next_sequence = self.header.first_sequence
        self.chain = self.header.previous_chain
        return HEADER_LENGTH

    def header_fields(self):
        """Returns the fields of the file record."""
        header = self.header
        return [("type", frames.KIND_NAMES[header.kind]), ("version", f"{header.major}.{header.minor}"),
                ("store", identifier(header.store)), ("replica", identifier(header.replica)),
                ("ordinal", header.ordinal), ("firstSequence", header.first_sequence),
                ("salt", hex64(header.salt)), ("prevChain", hash_text(header.previous_chain)),
                ("created", hex64(header.created)), ("previousBytes", header.previous_bytes),
                ("bytes", len(self.data))]

    # Damage

    def report(self, offset, code, judgement, depth=0):
        """Emits an error; the first one decides the verdict."""
        self.errors += 1
        self.emit(depth, "error", [("offset", offset), ("code", code)])
        if self.first_problem is None:
            self.first_problem = judgement

    def report_content(self, frame, code):
        """Emits an error inside a frame that is valid by its hashes."""
        self.report(frame.offset, code, CORRUPT, depth=1)

    def resync(self, offset, search_from):
        """Forgets what continues and looks for the next valid frame."""
        self.next_sequence = self.chain = self.dictionary = None
        self.drop_parts()
        found = find_frame(self.data, search_from, self.header.salt)
        if found is not None:
            self.emit(0, "resync", [("offset", found), ("skipped", found - offset)])
        return found

    def drop_parts(self):
        """Forgets the parts that wait for their TX frame."""
        self.pending = []
        self.pending_bytes = 0

    def judge_extent(self, offset, extent):
        """Judges a piece that is not valid: torn when it leaves the file or has an all-zero sector piece."""
        end = offset + extent
        if end > len(self.data):
            return TORN
        start = offset
        while start < end:
            stop = min(end, (start // SECTOR + 1) * SECTOR)
            if self.only_zeros(start, stop):
                return TORN
            start = stop
        return SUSPECT

    def only_zeros(self, start, stop):
        """Tells whether a range of the file is all zero."""
        return self.data.count(0, start, stop) == stop - start

    def verdict(self):
        """Returns the verdict on the whole file."""
        if self.first_problem is None:
            if self.sealed:
                return SEALED
            return TORN if self.pending else CLEAN
        if self.first_problem == NEWER:
            return SUSPECT
        if self.is_baseline():
            return CORRUPT
        if self.promised or self.first_problem == SUSPECT and self.ends_with_trailer():
            return CORRUPT
        return self.first_problem

    def ends_with_trailer(self):
        """Tells whether a valid trailer at the end says that the file was sealed."""
        if len(self.data) < HEADER_LENGTH + TRAILER_LENGTH:
            return False
        try:
            read_trailer(self.data, len(self.data) - TRAILER_LENGTH, self.header.salt)
        except DecodeError:
            return False
        return True

    # Frames

    def step(self, offset):
        """Visits the frame at an offset; returns where to go on, None at the end."""
        if self.at_end(offset):
            return None
        try:
            frame = read_frame(self.data, offset, self.header.salt)
        except BadFrame as bad:
            self.report(offset, bad.code, self.judge_extent(offset, bad.extent))
            return self.resync(offset, offset + 8)
        return self.visit(frame)

    def at_end(self, offset):
        """Tells whether only zeros follow."""
        return offset >= self.data_end

    def visit(self, frame):
        """Emits a valid frame and what is in it; returns where to go on."""
        self.emit_frame(frame)
        if not frame.is_known(self.header.kind) and not frame.is_ignorable():
            self.report(frame.offset, "unknownFrame", NEWER, depth=1)
            return None
        self.check_sequence(frame)
        self.check_orphans(frame)
        try:
            if self.is_baseline():
                self.visit_baseline_frame(frame)
            else:
                self.visit_frame(frame)
        except DecodeError as error:
            self.report_content(frame, error.code)
            self.dictionary = None
        return self.go_on(frame)

    def go_on(self, frame):
        """Accepts a frame and returns what follows it."""
        if frame.type == SEAL:
            return self.visit_trailer(frame)
        if frame.type == TX:
            self.drop_parts()
        if self.first_problem is None and not self.pending:
            self.accepted = frame.end
        return frame.end

    def emit_frame(self, frame):
        """Emits the record of a frame and notes a promise behind damage."""
        self.frame_count += 1
        self.promised = self.promised or (self.first_problem is not None and frame.synced > self.accepted)
        self.emit(0, "frame", [("offset", frame.offset), ("type", frame.type_name()),
                               ("flags", words(frame.flags, frames.FLAG_NAMES)), ("stored", frame.stored_length),
                               ("raw", frame.raw_length), ("sequence", frame.sequence), ("synced", frame.synced)])

    def check_sequence(self, frame):
        """Reports a frame that does not have the sequence of the next transaction."""
        if self.next_sequence not in (None, frame.sequence):
            self.report_content(frame, "badSequence")
        self.next_sequence = frame.sequence

    def check_orphans(self, frame):
        """Reports parts that something else than their TX frame follows."""
        if self.pending and not (frame.is_part() or frame.type == TX):
            self.report_content(frame, PART_CODE)
            self.drop_parts()

    def visit_frame(self, frame):
        """Decompresses a frame and emits what is in it; a part counts as a part even when it cannot be decoded."""
        expected_chain = self.chain
        if frame.type == TX:
            self.next_sequence = self.chain = None
        try:
            raw = frame.raw()
        except DecodeError:
            if frame.is_part():
                self.add_part(frame, None)
            raise
        self.visit_content(frame, raw, expected_chain)

    def visit_content(self, frame, raw, expected_chain):
        """Emits what is in a frame."""
        if frame.type == TX:
            self.visit_tx(frame, raw, expected_chain)
        elif frame.type == COLBLOCK:
            self.visit_block(frame, raw)
        elif frame.type == MARK:
            self.visit_mark(frame, raw)
        elif frame.type == SCHEMA:
            self.visit_schema(raw)
        elif frame.type == SEAL:
            self.visit_seal(raw)
        else:
            self.visit_bytes(frame, raw)

    def visit_bytes(self, frame, raw):
        """Emits the length of a payload that has no records of its own."""
        if frame.type == TXPART:
            self.add_part(frame, raw)
        elif frame.type == REPLICAS:
            cursor = Cursor(raw, TRANSACTION_CODE)
            for _ in range(cursor.count(limits.DICTIONARY)):
                read_dictionary_entry(cursor)
            cursor.expect_end()
        self.emit(1, "bytes", [("count", len(raw))])

    def add_part(self, frame, raw):
        """Keeps a part for its TX frame."""
        if frame.type == TXPART:
            self.pending_bytes += frame.raw_length
        if len(self.pending) >= limits.PARTS or self.pending_bytes > limits.OPERATION_BYTES:
            raise DecodeError(PART_CODE)
        self.pending.append(Part(frame.offset, frame.type, frame.raw_length, None if raw is None else hash128(raw),
                                 raw))

    def visit_mark(self, frame, raw):
        """Emits a mark and compares its chain."""
        if len(raw) != len(CHAIN_ZERO):
            raise DecodeError("badLength")
        self.emit(1, "mark", [("chain", hash_text(raw))])
        if self.chain not in (None, raw):
            self.report_content(frame, "badChain")
        self.chain = raw

    def visit_schema(self, raw):
        """Emits the schema operations of a hint."""
        cursor = Cursor(raw, OPERATION_CODE)
        for _ in range(cursor.varint()):
            body = cursor.nested(cursor.varint())
            fields = read_schema(body)
            body.expect_end()
            self.emit(1, "schema", fields)
        cursor.expect_end()

    def visit_block(self, frame, raw):
        """Emits a column block and, when asked for, its values."""
        self.add_part(frame, raw)
        self.pending[-1] = replace(self.pending[-1], header=self.emit_block(raw))

    def emit_block(self, raw):
        """Emits a column block and returns its header."""
        block = columns.read_block(raw)
        header = block.header
        self.emit(1, "block", [
            ("entity", header.entity), ("attribute", header.attribute),
            ("type", columns.values.TYPE_NAMES[header.type]), ("encoding", columns.ENCODING_NAMES[header.encoding]),
            ("nullable", int(header.nullable)), ("rows", header.rows), ("dictionary", header.entries),
            ("values", hash_text(block.values_hash())), ("first", block.spelling(0)),
            ("last", block.spelling(header.rows - 1))])
        if self.with_values:
            for row in range(header.rows):
                self.emit(2, "row", [("index", row), ("value", block.spelling(row))])
        return header

    # Baselines

    def visit_baseline_frame(self, frame):
        """Emits what is in a frame of a baseline."""
        if frame.type == SEAL:
            self.chain = None
        raw = frame.raw()
        if not frame.is_ignorable() and (frame.synced or frame.flags & ~LZ4):
            raise DecodeError("badPadding")
        if frame.type == COLBLOCK:
            self.emit_block(raw)
        elif frame.type == SEAL:
            seal = read_baseline_seal(raw)
            self.chain = seal.content_hash
            self.emit(1, "seal", seal.fields())
        elif frame.type in (SIDE, DIRECTORY) or frame.is_ignorable():
            self.emit(1, "bytes", [("count", len(raw))])
        else:
            raise DecodeError(DIRECTORY_CODE)

    def end_baseline(self):
        """Emits the directory of a file in which nothing was wrong so far."""
        if self.first_problem is not None:
            return
        if not self.sealed:
            self.report(self.accepted, "badTrailer", CORRUPT)
            return
        directory = read_baseline(self.data, self.header)
        if directory is None:
            self.report(len(self.data) - TRAILER_LENGTH, DIRECTORY_CODE, CORRUPT)
        else:
            directory.emit(self.emit)

    # Transactions

    def visit_tx(self, frame, raw, expected_chain):
        """Emits the transactions of a TX frame."""
        payload = read_tx_payload(raw, frame.sequence)
        chains = self.advance(frame, payload)
        self.emit(1, "chain", [("previous", hash_text(payload.previous_chain))])
        if expected_chain not in (None, payload.previous_chain):
            self.report_content(frame, "badChain")
        for data, chain in zip(payload.transactions, chains):
            self.visit_transaction(payload, read_transaction(data), chain)

    def advance(self, frame, payload):
        """Moves sequence and chain behind a TX frame; returns the chain after each transaction."""
        self.next_sequence = frame.sequence + len(payload.transactions) & MASK64
        self.chain = payload.previous_chain
        chains = []
        for data in payload.transactions:
            self.chain = next_chain(self.chain, hash128(data))
            chains.append(self.chain)
        return chains

    def visit_transaction(self, payload, transaction, chain):
        """Emits a transaction and its operations."""
        self.transaction_count += 1
        self.emit(1, "transaction", transaction.fields(chain))
        for kind, fields in transaction.records(payload.part_offsets):
            self.emit(2, kind, fields)
        self.check_dictionary(transaction)
        check_parts(transaction.part_list, payload.part_offsets, self.pending)
        for kind, fields, below in read_operations(transaction, self.pending):
            self.emit(2, kind, fields)
            for name, inner in below:
                self.emit(3, name, inner)

    def check_dictionary(self, transaction):
        """Refuses indices that are not dense, as far as the dictionary is known."""
        if transaction.flags & FULL:
            self.dictionary = 0
        if self.dictionary is None:
            return
        declared = [entry[0][1] for entry in transaction.dictionary]
        first = self.dictionary + 1
        self.dictionary += len(declared)
        if declared != list(range(first, first + len(declared))):
            raise DecodeError(TRANSACTION_CODE)

    # Seal and trailer

    def visit_seal(self, raw):
        """Emits a seal and compares it with the scan."""
        seal = read_seal(raw)
        self.emit(1, "seal", seal.fields())
        if self.first_problem is None:
            if not seal.agrees(self.header.first_sequence, self.transaction_count, self.chain):
                raise DecodeError(SEAL_CODE)

    def visit_trailer(self, frame):
        """Emits the trailer behind a seal; only zeros may follow it."""
        offset = frame.end
        try:
            trailer = read_trailer(self.data, offset, self.header.salt)
        except DecodeError as error:
            torn = self.judge_extent(offset, TRAILER_LENGTH) == TORN
            self.report(offset, error.code, TORN if torn else CORRUPT)
            return self.resync(offset, offset)
        self.emit(0, "trailer", trailer.fields())
        if trailer.seal_offset != frame.offset or self.chain not in (None, trailer.chain):
            self.report(offset, "badTrailer", CORRUPT)
        end = offset + TRAILER_LENGTH
        if not self.only_zeros(end, len(self.data)):
            self.report(end, "badTrailer", CORRUPT)
        self.sealed = True
        if self.first_problem is None:
            self.accepted = end
        return None
