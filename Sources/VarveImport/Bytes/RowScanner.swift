// Finds the fields of one row in memory, eight bytes at a time.

/// Where a field lies in the window.
struct FieldRange {
  var start: UInt32
  var end: UInt32
  var isQuoted: Bool
  /// Whether doubled quotes have to be undoubled.
  var hasEscapes: Bool
}

/// What a scan found.
enum RowScan {
  /// A row: its content ends at `contentEnd`, the next one starts at `next`.
  case row(contentEnd: Int, next: Int)
  /// The row goes on behind the end of the window.
  case incomplete(isInQuotes: Bool)
  /// Quotes that do not match: the index of the byte where that shows.
  case badQuote(Int, isClosed: Bool)
}

/// Scans rows.
struct RowScanner {
  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let low7: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  private let delimiter: UInt8
  /// Equal to the delimiter when there is no quote.
  private let quote: UInt8
  private let trims: Bool
  private let delimiterPattern: UInt64
  private let quotePattern: UInt64

  init(delimiter: UInt8, quote: UInt8?, trims: Bool) {
    self.delimiter = delimiter
    self.quote = quote ?? delimiter
    self.trims = trims
    delimiterPattern = RowScanner.pattern(delimiter)
    quotePattern = RowScanner.pattern(self.quote)
  }

  @inline(__always)
  private static func pattern(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// Without its high bits set: bit 7 of each byte that equals the pattern's is 0, of the others 1.
  @inline(__always)
  private static func unequal(_ word: UInt64, _ pattern: UInt64) -> UInt64 {
    let difference = word ^ pattern
    return ((difference & low7) &+ low7) | difference
  }

  /// Bit 7 of each byte that structures rows.
  @inline(__always)
  private func marks(_ word: UInt64) -> UInt64 {
    let plain =
      RowScanner.unequal(word, delimiterPattern) & RowScanner.unequal(word, quotePattern)
      & RowScanner.unequal(word, RowScanner.pattern(RowScanner.newline))
      & RowScanner.unequal(word, RowScanner.pattern(RowScanner.carriageReturn))
    return ~plain & RowScanner.highs
  }

  @inline(__always)
  private static func load(_ base: UnsafePointer<UInt8>, _ index: Int) -> UInt64 {
    // SAFETY: the window has `DelimitedTokenizer.slackBytes` readable bytes behind its end.
    UInt64(
      littleEndian: UnsafeRawPointer(base).loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// Scans the row that starts at `start`.
  ///
  /// Stores the first `capacity` fields and counts all in `count`.
  ///
  /// `base` has `end` bytes and slack behind. When `isFinal`, the last byte is a line end or lies
  /// in open quotes.
  func scan(
    _ base: UnsafePointer<UInt8>, from start: Int, to end: Int, isFinal: Bool,
    fields: UnsafeMutablePointer<FieldRange>, capacity: Int, count: inout Int
  ) -> RowScan {
    var stored = 0
    defer { count = stored }
    var fieldStart = start
    var wordStart = start
    var marks = marks(RowScanner.load(base, start))
    while true {
      while marks == 0 {
        wordStart &+= 8
        if wordStart >= end { return .incomplete(isInQuotes: false) }
        marks = self.marks(RowScanner.load(base, wordStart))
      }
      let position = wordStart &+ marks.trailingZeroBitCount &>> 3
      if position >= end { return .incomplete(isInQuotes: false) }
      marks &= marks &- 1
      // SAFETY: `position` is below `end`; `fields` has room for `capacity`.
      let byte = base[position]
      if byte == delimiter {
        if stored < capacity {
          fields[stored] = FieldRange(
            start: UInt32(truncatingIfNeeded: fieldStart),
            end: UInt32(truncatingIfNeeded: position), isQuoted: false, hasEscapes: false)
        }
        stored &+= 1
        fieldStart = position &+ 1
      } else if byte != quote {
        if stored < capacity {
          fields[stored] = FieldRange(
            start: UInt32(truncatingIfNeeded: fieldStart),
            end: UInt32(truncatingIfNeeded: position), isQuoted: false, hasEscapes: false)
        }
        stored &+= 1
        return lineEnd(base, position, end, isFinal: isFinal, contentEnd: position)
      } else {
        guard position == fieldStart || trims && isBlank(base, fieldStart, position) else {
          return .badQuote(position, isClosed: true)
        }
        var field = FieldRange(start: 0, end: 0, isQuoted: true, hasEscapes: false)
        let close = scanQuoted(base, after: position, to: end, isFinal: isFinal, field: &field)
        guard case .row(let next, _) = close else { return close }
        if stored < capacity { fields[stored] = field }
        stored &+= 1
        if base[next] != delimiter {
          return lineEnd(base, next, end, isFinal: isFinal, contentEnd: next)
        }
        fieldStart = next &+ 1
        wordStart = fieldStart
        marks = self.marks(RowScanner.load(base, wordStart))
      }
    }
  }

  /// A row ends at `position`, at LF, CR LF or CR.
  @inline(__always)
  private func lineEnd(
    _ base: UnsafePointer<UInt8>, _ position: Int, _ end: Int, isFinal: Bool, contentEnd: Int
  ) -> RowScan {
    // SAFETY: indices are compared with `end` first.
    if base[position] == RowScanner.newline {
      return .row(contentEnd: contentEnd, next: position &+ 1)
    }
    if position &+ 1 < end {
      let isPair = base[position &+ 1] == RowScanner.newline
      return .row(contentEnd: contentEnd, next: position &+ (isPair ? 2 : 1))
    }
    return isFinal
      ? .row(contentEnd: contentEnd, next: position &+ 1) : .incomplete(isInQuotes: false)
  }

  /// Scans a quoted field whose opening quote is at `open`.
  ///
  /// The result `.row(p, p)` says that the delimiter or line end behind it is at `p`.
  private func scanQuoted(
    _ base: UnsafePointer<UInt8>, after open: Int, to end: Int, isFinal: Bool,
    field: inout FieldRange
  ) -> RowScan {
    let unclosed = isFinal ? RowScan.badQuote(open, isClosed: false) : .incomplete(isInQuotes: true)
    var position = open &+ 1
    while true {
      var marks =
        ~RowScanner.unequal(RowScanner.load(base, position), quotePattern) & RowScanner.highs
      while marks == 0 {
        position &+= 8
        if position >= end { return unclosed }
        marks =
          ~RowScanner.unequal(RowScanner.load(base, position), quotePattern) & RowScanner.highs
      }
      position &+= marks.trailingZeroBitCount &>> 3
      if position >= end { return unclosed }
      // SAFETY: indices are compared with `end` first.
      if position &+ 1 < end, base[position &+ 1] == quote {
        field.hasEscapes = true
        position &+= 2
        if position >= end { return unclosed }
        continue
      }
      field.start = UInt32(truncatingIfNeeded: open &+ 1)
      field.end = UInt32(truncatingIfNeeded: position)
      var next = position &+ 1
      if trims { while next < end, isBlankByte(base[next]) { next &+= 1 } }
      if next >= end {
        return isFinal ? .badQuote(position, isClosed: true) : .incomplete(isInQuotes: false)
      }
      let byte = base[next]
      if byte == delimiter || byte == RowScanner.newline || byte == RowScanner.carriageReturn {
        return .row(contentEnd: next, next: next)
      }
      return .badQuote(next, isClosed: true)
    }
  }

  @inline(__always)
  private func isBlankByte(_ byte: UInt8) -> Bool {
    (byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")) && byte != delimiter
  }

  private func isBlank(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Bool {
    // SAFETY: the caller's range lies inside the window.
    for index in start..<end where !isBlankByte(base[index]) { return false }
    return true
  }

  /// The range without blanks at both ends.
  func trimmed(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> (Int, Int) {
    var start = start
    var end = end
    // SAFETY: the caller's range lies inside the window.
    while start < end, isBlankByte(base[start]) { start &+= 1 }
    while end > start, isBlankByte(base[end &- 1]) { end &-= 1 }
    return (start, end)
  }
}
