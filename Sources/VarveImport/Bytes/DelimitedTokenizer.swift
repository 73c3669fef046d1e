// Cuts a stream of text into rows and fields. Memory is one window, whatever the size of the text.

import VarveFormat

/// Sizes of a tokenizer's memory; tests make them small.
struct TokenizerSizes: Sendable {
  /// Bytes of the window at first; at least 4.
  var windowBytes = ImportLimits.chunkBytes
  var rowBytesMax = ImportLimits.rowBytesMax
}

/// Reads rows one after the other.
///
/// A row that cannot be cut into fields is a problem of that row alone: reading goes on at the line
/// after its first.
package final class DelimitedTokenizer {
  /// What came next.
  package enum Event: Sendable, Equatable {
    /// A row: `fieldCount` and `row` tell what it holds.
    case row
    /// A line that is no row.
    case problem(RowProblem.Code, String)
    /// The text is over.
    case end
  }

  /// Readable bytes behind the window, for loads of whole words and a line end that the text lacks.
  static let slackBytes = 32
  /// Fields of a row that are kept; more are only counted.
  static let fieldsMax = Limits.columnsMax + 1

  private let source: TextSource
  private let scanner: RowScanner
  private let quote: UInt8
  private let comment: UInt8?
  private let trims: Bool
  private let rowBytesMax: Int
  /// Whether lines without any byte are no rows.
  package var skipsEmptyLines = true

  private var window: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// Bytes in the window.
  private var end = 0
  /// The current row is `rowStart..<contentEnd`; the next one starts at `next`.
  private var rowStart = 0
  private var contentEnd = 0
  private var next = 0
  /// The offset of the window in the text.
  private var windowOffset: UInt64 = 0
  private var textBytes: UInt64 = 0
  private var isStarted = false
  private var isFinal = false
  private var hasHighBytes = false
  private var hasNUL = false
  /// Whether the current line was reported and its end was not seen yet.
  private var isLineToSkip = false
  private let fields: UnsafeMutablePointer<FieldRange>
  /// Holds a field without the doubling of its quotes.
  private var scratch: UnsafeMutablePointer<UInt8>
  private var scratchCapacity = 256

  /// Fields of the current row.
  package private(set) var fieldCount = 0

  package convenience init(
    _ source: TextSource, _ options: DelimitedOptions
  ) throws(ImportError) {
    try self.init(source, options, sizes: TokenizerSizes())
  }

  init(
    _ source: TextSource, _ options: DelimitedOptions, sizes: TokenizerSizes
  ) throws(ImportError) {
    try options.validate()
    rowBytesMax = sizes.rowBytesMax
    self.source = source
    scanner = RowScanner(
      delimiter: options.delimiter, quote: options.quote, trims: options.trims)
    quote = options.quote ?? 0
    comment = options.comment
    trims = options.trims
    capacity = sizes.windowBytes
    window = .allocate(capacity: capacity + DelimitedTokenizer.slackBytes)
    window.initialize(repeating: 0, count: capacity + DelimitedTokenizer.slackBytes)
    fields = .allocate(capacity: DelimitedTokenizer.fieldsMax)
    scratch = .allocate(capacity: scratchCapacity)
  }

  deinit {
    window.deallocate()
    fields.deallocate()
    scratch.deallocate()
  }

  /// The offset of the current row in the text.
  package var rowOffset: UInt64 { windowOffset + UInt64(rowStart) }
  /// The offset behind the current row.
  package var nextOffset: UInt64 { min(windowOffset + UInt64(next), textBytes) }
  /// Bytes of the file that were read, for progress.
  package var fileOffset: UInt64 { source.fileOffset }

  /// The bytes of the current row without its line end, at most `ImportLimits.rawBytesMax` of them.
  package var rawRow: [UInt8] {
    // SAFETY: the row lies inside the window.
    Array(
      UnsafeBufferPointer(
        start: window + rowStart, count: min(contentEnd - rowStart, ImportLimits.rawBytesMax)))
  }

  /// The current row; valid until the next call of `advance`.
  var row: RowView {
    RowView(
      window: window, fields: fields, count: min(fieldCount, DelimitedTokenizer.fieldsMax),
      scanner: scanner, trims: trims, tokenizer: self)
  }

  /// Undoubles the quotes of a field.
  ///
  /// The result is valid until the next call.
  fileprivate func unescaped(_ range: FieldRange) -> FieldBytes {
    let length = Int(range.end - range.start)
    if length > scratchCapacity {
      scratch.deallocate()
      scratchCapacity = max(length, scratchCapacity * 2)
      scratch = .allocate(capacity: scratchCapacity)
    }
    // SAFETY: the range lies inside the window, and `scratch` has room for its length.
    let source = window + Int(range.start)
    var count = 0
    var index = 0
    while index < length {
      scratch[count] = source[index]
      count += 1
      index += source[index] == quote ? 2 : 1
    }
    return FieldBytes(base: scratch, count: count, isQuoted: true)
  }

  /// Goes to the next row.
  package func advance() throws(ImportError) -> Event {
    if !isStarted { try start() }
    while true {
      rowStart = next
      contentEnd = next
      fieldCount = 0
      if rowStart >= end {
        if isFinal { return .end }
        try refill()
        continue
      }
      if isLineToSkip {
        isLineToSkip = false
        try skipLine()
        continue
      }
      // SAFETY: `rowStart` is below `end`.
      let first = window[rowStart]
      if let comment, first == comment {
        try skipLine()
        continue
      }
      let isLineEnd = first == UInt8(ascii: "\n") || first == UInt8(ascii: "\r")
      if isLineEnd, skipsEmptyLines {
        next = rowStart + 1
        continue
      }
      if let event = try scanRow() { return event }
    }
  }

  /// Scans the row at `rowStart`; nil when more of the text had to be read.
  private func scanRow() throws(ImportError) -> Event? {
    var count = 0
    let found = scanner.scan(
      window, from: rowStart, to: end, isFinal: isFinal, fields: fields,
      capacity: DelimitedTokenizer.fieldsMax, count: &count)
    switch found {
    case .row(let contentEnd, let next):
      self.contentEnd = contentEnd
      self.next = next
      fieldCount = count
      return hasHighBytes || hasNUL ? checkText() : .row
    case .badQuote(let position, let isClosed):
      guard try endLine() else { return nil }
      let offset = windowOffset + UInt64(position)
      return .problem(
        .quote,
        isClosed
          ? "a quote at byte \(offset) neither opens nor closes a field"
          : "the quote at byte \(offset) is never closed")
    case .incomplete(let isInQuotes):
      if end - rowStart < rowBytesMax {
        precondition(!isFinal, "the last line has a line end")
        try refill()
        return nil
      }
      if isInQuotes, try endLine() {
        return .problem(.quote, "a quote is not closed within \(rowBytesMax) bytes")
      }
      skipRestOfLine()
      return .problem(.long, "the row is longer than \(rowBytesMax) bytes")
    }
  }

  /// Sets the end of the current line.
  ///
  /// False when it is not in the window and more was read.
  private func endLine() throws(ImportError) -> Bool {
    switch findLineEnd() {
    case .found(let contentEnd, let next):
      self.contentEnd = contentEnd
      self.next = next
      return true
    case .missing where isFinal:
      contentEnd = end
      next = end
      return true
    case .missing where end - rowStart >= rowBytesMax:
      skipRestOfLine()
      return true
    case .missing, .undecided:
      try refill()
      return false
    }
  }

  /// The line does not end in the window: the next call of `advance` drops it.
  private func skipRestOfLine() {
    contentEnd = end
    next = rowStart
    isLineToSkip = true
  }

  /// Drops the line at `rowStart`, however long it is.
  private func skipLine() throws(ImportError) {
    while true {
      switch findLineEnd() {
      case .found(_, let next):
        self.next = next
        return
      case .missing:
        next = end
        rowStart = end
        if isFinal { return }
      case .undecided:
        next = end - 1
        rowStart = end - 1
      }
      try refill()
    }
  }

  private enum LineEnd {
    case found(contentEnd: Int, next: Int)
    case missing
    /// The window ends with CR, and LF may follow.
    case undecided
  }

  private func findLineEnd() -> LineEnd {
    // SAFETY: the range lies inside the window.
    let line = window + rowStart
    let length = end - rowStart
    // Lines are short: a text without LF, or without CR, must not be searched to its end for each
    // of them.
    var searched = min(512, length)
    while true {
      let newline = UTF8Check.first(UInt8(ascii: "\n"), line, searched)
      if let carriage = UTF8Check.first(UInt8(ascii: "\r"), line, newline ?? searched) {
        if carriage + 1 == length, !isFinal { return .undecided }
        let isPair = carriage + 1 < length && line[carriage + 1] == UInt8(ascii: "\n")
        let contentEnd = rowStart + carriage
        return .found(contentEnd: contentEnd, next: contentEnd + (isPair ? 2 : 1))
      }
      if let newline { return .found(contentEnd: rowStart + newline, next: rowStart + newline + 1) }
      if searched == length { return .missing }
      searched = min(searched * 8, length)
    }
  }

  /// Refuses rows with NUL bytes or bytes that are not UTF-8.
  private func checkText() -> Event {
    // SAFETY: the row lies inside the window.
    let row = window + rowStart
    let count = contentEnd - rowStart
    if hasNUL, let index = UTF8Check.firstNUL(row, count) {
      return .problem(.utf8, "a NUL byte at byte \(rowOffset + UInt64(index))")
    }
    if hasHighBytes, let index = UTF8Check.firstInvalid(row, count) {
      return .problem(.utf8, "no valid UTF-8 at byte \(rowOffset + UInt64(index))")
    }
    return .row
  }

  // MARK: The window

  /// Reads the first part and refuses what is not UTF-8 as a whole.
  private func start() throws(ImportError) {
    isStarted = true
    try refill()
    // SAFETY: the window holds `end` bytes.
    if let reason = UTF8Check.refusal(window, end) {
      throw ImportError(.unsupportedEncoding, reason, path: source.path, offset: 0)
    }
    if end >= 3, window[0] == 0xEF, window[1] == 0xBB, window[2] == 0xBF { next = 3 }
    rowStart = next
  }

  /// Moves the current row to the start of the window, makes room when it fills it, and reads more.
  private func refill() throws(ImportError) {
    let kept = end - rowStart
    if rowStart > 0 {
      // SAFETY: both ranges lie inside the window; `update` allows them to overlap.
      window.update(from: window + rowStart, count: kept)
      windowOffset += UInt64(rowStart)
      next -= min(next, rowStart)
      rowStart = 0
      end = kept
    }
    if kept * 2 > capacity { grow() }
    let count = try source.fill(
      // SAFETY: the rest of the window is not in use.
      UnsafeMutableRawBufferPointer(start: window + end, count: capacity - end))
    let fresh = window + end
    hasHighBytes = kept > 0 && hasHighBytes || UTF8Check.hasHighBytes(fresh, count)
    hasNUL = kept > 0 && hasNUL || UTF8Check.firstNUL(fresh, count) != nil
    isFinal = count < capacity - end
    end += count
    textBytes = windowOffset + UInt64(end)
    if isFinal, end > 0, window[end - 1] != UInt8(ascii: "\n"),
      window[end - 1] != UInt8(ascii: "\r")
    {
      // SAFETY: the slack has room for the line end that the text lacks.
      window[end] = UInt8(ascii: "\n")
      end += 1
    }
  }

  private func grow() {
    let larger = capacity * 2
    let fresh = UnsafeMutablePointer<UInt8>.allocate(
      capacity: larger + DelimitedTokenizer.slackBytes)
    // SAFETY: both blocks hold `end` bytes; the rest of the new one is initialised.
    fresh.initialize(from: window, count: end)
    (fresh + end).initialize(repeating: 0, count: larger + DelimitedTokenizer.slackBytes - end)
    window.deallocate()
    window = fresh
    capacity = larger
  }
}

/// The fields of one row.
struct RowView {
  fileprivate let window: UnsafeMutablePointer<UInt8>
  fileprivate let fields: UnsafeMutablePointer<FieldRange>
  /// Fields that are kept.
  let count: Int
  fileprivate let scanner: RowScanner
  fileprivate let trims: Bool
  fileprivate let tokenizer: DelimitedTokenizer

  /// A field, valid until the next call of this or of `DelimitedTokenizer.advance`.
  @inline(__always)
  func field(_ index: Int) -> FieldBytes {
    precondition(index >= 0 && index < count, "a field outside of its row")
    // SAFETY: the scanner stored `count` ranges that lie inside the window.
    let range = fields[index]
    if range.hasEscapes { return tokenizer.unescaped(range) }
    var start = Int(range.start)
    var end = Int(range.end)
    if trims, !range.isQuoted { (start, end) = scanner.trimmed(window, start, end) }
    return FieldBytes(base: window + start, count: end &- start, isQuoted: range.isQuoted)
  }
}
