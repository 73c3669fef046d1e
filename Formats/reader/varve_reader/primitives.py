"""Integers, varints, hashes and the bounded cursor (README.md, section 1)."""

import struct

import xxhash

from . import limits

MASK64 = (1 << 64) - 1
CHAIN_ZERO = bytes(16)

_U16 = struct.Struct("<H")
_U32 = struct.Struct("<I")
_U64 = struct.Struct("<Q")
_I64 = struct.Struct("<q")


class DecodeError(Exception):
    """Content breaks a rule; `code` is the word of the error record."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


def hash64(data, seed=0):
    """Returns XXH3-64 as a number."""
    return xxhash.xxh3_64_intdigest(data, seed)


def hash128(data):
    """Returns XXH3-128 as its 16 stored bytes."""
    return xxhash.xxh3_128_intdigest(data).to_bytes(16, "little")


def next_chain(chain, transaction_hash):
    """Returns the chain after one more transaction."""
    return hash128(chain + transaction_hash)


def padded8(length):
    """Rounds a length up to a multiple of 8."""
    return (length + 7) & ~7


def is_zero(data):
    """Tells whether every byte is zero."""
    return not any(data)


def _varint_bytes(number):
    """Encodes a varint without the help of the table."""
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


_SMALL_VARINTS = [_varint_bytes(number) for number in range(1 << 14)]


def encode_varint(number):
    """Encodes an unsigned number below 2^64 as a varint."""
    if number < 16384:
        return _SMALL_VARINTS[number]
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


class Cursor:
    """Reads stored fields one after the other and never past its end."""

    __slots__ = ("data", "position", "end", "code", "elements")

    def __init__(self, data, code, position=0, end=None):
        self.data = data
        self.code = code
        self.position = position
        self.end = len(data) if end is None else end
        self.elements = [0]

    def fail(self):
        """Refuses the content with the code of this cursor."""
        raise DecodeError(self.code)

    def require(self, condition):
        """Refuses the content unless the condition holds."""
        if not condition:
            raise DecodeError(self.code)

    def remaining(self):
        """Returns the number of bytes not read yet."""
        return self.end - self.position

    def expect_end(self):
        """Refuses trailing bytes."""
        if self.position != self.end:
            raise DecodeError(self.code)

    def take(self, count):
        """Returns the next `count` bytes."""
        start = self.position
        stop = start + count
        if stop > self.end:
            raise DecodeError(self.code)
        self.position = stop
        return bytes(self.data[start:stop])

    def nested(self, count):
        """Returns a cursor over the next `count` bytes and skips them."""
        self.require(count <= self.remaining())
        self.position += count
        inner = Cursor(self.data, self.code, self.position - count, self.position)
        inner.elements = self.elements
        return inner

    def zeros(self, count):
        """Skips `count` bytes that have to be zero."""
        self.require(is_zero(self.take(count)))

    def align8(self, start=0):
        """Skips zero padding up to a multiple of 8 counted from `start`."""
        self.zeros(-(self.position - start) % 8)

    def u8(self):
        """Reads one byte."""
        position = self.position
        if position >= self.end:
            raise DecodeError(self.code)
        self.position = position + 1
        return self.data[position]

    def u16(self):
        """Reads a u16."""
        return _U16.unpack(self.take(2))[0]

    def u32(self):
        """Reads a u32."""
        return _U32.unpack(self.take(4))[0]

    def u64(self):
        """Reads a u64."""
        return _U64.unpack(self.take(8))[0]

    def i64(self):
        """Reads an i64."""
        return _I64.unpack(self.take(8))[0]

    def varint(self, limit=MASK64):
        """Reads a varint in its shortest form that is at most `limit`."""
        result = 0
        for shift in range(0, 70, 7):
            byte = self.u8()
            result |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.require(result <= limit and (byte != 0 or shift == 0))
                return result
        return self.fail()

    def zigzag(self):
        """Reads a signed number."""
        number = self.varint()
        return (number >> 1) ^ -(number & 1)

    def choice(self, *allowed):
        """Reads one byte that has to be among the allowed ones."""
        byte = self.u8()
        self.require(byte in allowed)
        return byte

    def count(self, limit=MASK64, smallest=1):
        """Reads the count of a list and compares it with its limit, with the bytes that are there, and with the limit of all lists."""
        number = self.varint(limit)
        self.require(number * smallest <= self.remaining())
        self.elements[0] += number
        self.require(self.elements[0] <= limits.ELEMENTS)
        return number

    def bytes(self, limit=MASK64):
        """Reads a length and that many bytes."""
        return self.take(self.varint(limit))

    def text(self, limit=MASK64):
        """Reads a string of valid UTF-8."""
        try:
            return self.bytes(limit).decode("utf-8")
        except UnicodeDecodeError:
            return self.fail()
