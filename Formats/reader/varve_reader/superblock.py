"""The superblock (Superblock.md)."""

from .primitives import Cursor, hash64, is_zero
from .records import hash_text, hex64, identifier, words

MAGIC = b"\x89VRS\r\n\x1a\n"
SLOT_LENGTH = 4096
LENGTH = 2 * SLOT_LENGTH
CHECKED = 248
FLAG_NAMES = ((1, "clean"),)


def is_superblock(data):
    """Tells whether one of the two slots has the magic."""
    return data.startswith(MAGIC) or data[SLOT_LENGTH:].startswith(MAGIC)


def _is_valid(slot, index):
    """Tells whether a slot is complete, intact, of this version and in its place."""
    if len(slot) != SLOT_LENGTH or not slot.startswith(MAGIC):
        return False
    cursor = Cursor(slot, "badHeaderCheck", CHECKED)
    if cursor.u64() != hash64(slot[:CHECKED], index):
        return False
    cursor = Cursor(slot, "badHeaderCheck", len(MAGIC))
    major, _minor, incompatible, _compatible, flags = (cursor.u16(), cursor.u16(), cursor.u32(), cursor.u32(),
                                                       cursor.u32())
    counter = int.from_bytes(slot[56:64], "little")
    if major or incompatible or flags & ~1 or counter < 1 or counter % 2 != index:
        return False
    return is_zero(slot[152:CHECKED]) and is_zero(slot[256:])


def _fields(slot):
    """Returns counter and the fields of the record of a valid slot."""
    cursor = Cursor(slot, "badHeaderCheck", len(MAGIC))
    version = f"{cursor.u16()}.{cursor.u16()}"
    cursor.take(8)
    flags, store, replica, counter = cursor.u32(), cursor.take(16), cursor.take(16), cursor.u64()
    ordinal, durable, accepted, sequence = (cursor.u64() for _ in range(4))
    return counter, [
        ("version", version), ("store", identifier(store)), ("replica", identifier(replica)), ("counter", counter),
        ("flags", words(flags, FLAG_NAMES)), ("openOrdinal", ordinal), ("durableMark", durable),
        ("lastAccepted", accepted), ("lastSequence", sequence), ("chain", hash_text(cursor.take(16))),
        ("maxStamp", hex64(cursor.u64())), ("inode", cursor.u64()), ("host", hex64(cursor.u64())),
        ("baseline", hex64(cursor.u64())), ("baselineBytes", cursor.u64())]


def dump_superblock(data, emit):
    """Emits the records of a superblock; returns whether nothing is wrong with it."""
    emit(0, "superblock", [("bytes", len(data))])
    sound = True
    counters = {}
    for index in range(2):
        slot = data[index * SLOT_LENGTH:(index + 1) * SLOT_LENGTH]
        state = _state(slot, index)
        sound = sound and state != "invalid"
        emit(0, "slot", [("index", index), ("state", state)])
        if state == "valid":
            counters[index], fields = _fields(slot)
            emit(1, "fields", fields)
    sound = _check_length(data, emit) and sound
    chosen = max(counters, key=counters.get) if counters else "none"
    emit(0, "end", [("chosen", chosen)])
    return sound


def _state(slot, index):
    """Returns the word for the state of a slot."""
    if _is_valid(slot, index):
        return "valid"
    return "empty" if len(slot) == SLOT_LENGTH and is_zero(slot) else "invalid"


def _check_length(data, emit):
    """Emits an error when the file does not have the length of a superblock."""
    if len(data) == LENGTH:
        return True
    short = len(data) < LENGTH
    emit(0, "error", [("offset", min(len(data), LENGTH)), ("code", "truncated" if short else "badLength")])
    return False
