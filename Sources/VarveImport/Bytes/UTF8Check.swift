// Checks of raw bytes: UTF-8, NUL, and which encoding a text may have.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

enum UTF8Check {
  /// Whether any byte is not ASCII.
  ///
  /// The loop is simple so that it becomes vector code.
  static func hasHighBytes(_ base: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    var union: UInt8 = 0
    // SAFETY: the caller's pointer has `count` bytes.
    for index in 0..<count { union |= base[index] }
    return union >= 0x80
  }

  /// The index of the first NUL byte.
  static func firstNUL(_ base: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    first(0, base, count)
  }

  /// The index of the first byte of this value.
  static func first(_ byte: UInt8, _ base: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    // SAFETY: `memchr` reads at most `count` bytes, and its result lies among them.
    guard count > 0, let found = memchr(base, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  /// The index of the first byte that does not belong to valid UTF-8.
  static func firstInvalid(_ base: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    var index = 0
    while index < count {
      // SAFETY: loads end at or before `count`.
      if index &+ 8 <= count,
        UnsafeRawPointer(base).loadUnaligned(fromByteOffset: index, as: UInt64.self)
          & 0x8080_8080_8080_8080 == 0
      {
        index &+= 8
      } else if base[index] < 0x80 {
        index &+= 1
      } else {
        let length = sequenceLength(base + index, count - index)
        if length == 0 { return index }
        index &+= length
      }
    }
    return nil
  }

  /// The length of the valid sequence of several bytes at `base`, or 0.
  static func sequenceLength(_ base: UnsafePointer<UInt8>, _ count: Int) -> Int {
    // SAFETY: every index is compared with `count` first.
    func continues(_ index: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      index < count && range.contains(base[index])
    }
    switch base[0] {
    case 0xC2...0xDF: return continues(1) ? 2 : 0
    case 0xE0: return continues(1, 0xA0...0xBF) && continues(2) ? 3 : 0
    case 0xED: return continues(1, 0x80...0x9F) && continues(2) ? 3 : 0
    case 0xE1...0xEF: return continues(1) && continues(2) ? 3 : 0
    case 0xF0: return continues(1, 0x90...0xBF) && continues(2) && continues(3) ? 4 : 0
    case 0xF1...0xF3: return continues(1) && continues(2) && continues(3) ? 4 : 0
    case 0xF4: return continues(1, 0x80...0x8F) && continues(2) && continues(3) ? 4 : 0
    default: return 0
    }
  }

  /// Why a text that starts with these bytes cannot be read, or nil.
  ///
  /// UTF-16 and UTF-32 are told by their byte order mark or by zeros in a quarter of the bytes;
  /// Latin-1 by at least four bytes that are not UTF-8 when no valid UTF-8 sequence of several
  /// bytes is there.
  static func refusal(_ base: UnsafePointer<UInt8>, _ count: Int) -> String? {
    // SAFETY: every index is below `count`.
    if count >= 2, base[0] == 0xFF && base[1] == 0xFE || base[0] == 0xFE && base[1] == 0xFF {
      return "the text is UTF-16; convert it with: iconv -f utf16 -t utf8"
    }
    let sample = min(count, ImportLimits.sampleBytes)
    var zeros = 0
    var valid = 0
    var invalid = 0
    var index = 0
    while index < sample {
      let byte = base[index]
      var length = 1
      if byte == 0 {
        zeros += 1
      } else if byte >= 0x80 {
        length = sequenceLength(base + index, count - index)
        if length == 0 {
          // A sequence that the end of the text's first part cuts is no evidence.
          if count - index >= 4 { invalid += 1 }
          length = 1
        } else {
          valid += 1
        }
      }
      index += length
    }
    if sample >= 4, zeros * 4 >= sample {
      return
        "the text looks like UTF-16 without a byte order mark; convert it with: iconv -f "
        + "utf16le -t utf8"
    }
    if invalid >= 4, valid == 0 {
      return
        "the text is not UTF-8 and looks like Latin-1; convert it with: iconv -f latin1 -t utf8"
    }
    return nil
  }
}
