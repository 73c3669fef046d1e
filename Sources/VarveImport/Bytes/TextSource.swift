// The text of a file or of standard input, plain or gzip.

/// Where an import reads from.
package enum ImportSource: Sendable {
  /// A file, a pipe with a name, or standard input when the path is `-`.
  case file(String)
  /// Bytes in memory, with a name for messages.
  case bytes([UInt8], name: String)

  /// The path or name as it was given.
  var path: String {
    switch self {
    case .file(let path): path
    case .bytes(_, let name): name
    }
  }

  /// The name in messages.
  package var name: String {
    switch self {
    case .file("-"): "standard input"
    case .file(let path): path
    case .bytes(_, let name): name
    }
  }

  /// Whether it can be read more than once.
  var isRepeatable: Bool {
    switch self {
    case .file("-"): false
    case .file(let path): RawInput.isRegularFile(path)
    case .bytes: true
    }
  }

  func open() throws(ImportError) -> RawInput {
    switch self {
    case .file("-"): RawInput(descriptor: 0, path: name)
    case .file(let path): try RawInput(path: path)
    case .bytes(let bytes, let name): RawInput(bytes: bytes, path: name)
    }
  }
}

/// A stream of text bytes.
///
/// Gzip is recognised by its first two bytes.
package final class TextSource {
  private let input: RawInput
  private let gzip: GzipStream?
  /// Bytes that were read to recognise the kind and not handed out yet.
  private var head: [UInt8]

  /// The file, for errors.
  package var path: String? { input.path }

  /// Whether the input is compressed.
  package var isCompressed: Bool { gzip != nil }

  /// Bytes of the file that were read, for progress.
  package var fileOffset: UInt64 { input.offset }

  package convenience init(_ source: ImportSource) throws(ImportError) {
    try self.init(source.open())
  }

  init(_ input: RawInput) throws(ImportError) {
    self.input = input
    var head: [UInt8] = []
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 2, alignment: 1)
    defer { piece.deallocate() }
    while head.count < 2 {
      // SAFETY: the slice lies inside `piece`.
      let count = try input.read(
        into: UnsafeMutableRawBufferPointer(rebasing: piece[..<(2 - head.count)]))
      if count == 0 { break }
      head.append(contentsOf: piece[..<count])
    }
    if head == [0x1F] {
      throw ImportError(
        .truncatedGzip, "the gzip file ends after its first byte; fetch it again", path: input.path,
        offset: 1)
    }
    let isGzip = head == [0x1F, 0x8B]
    gzip = isGzip ? try GzipStream(input, head: head) : nil
    self.head = isGzip ? [] : head
  }

  /// Fills all of `buffer` unless the text ends before; returns the bytes filled.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    var done = 0
    if !head.isEmpty {
      precondition(buffer.count >= head.count, "the first buffer holds the first two bytes")
      buffer.copyBytes(from: head)
      done = head.count
      head = []
    }
    while done < buffer.count {
      // SAFETY: the slice lies inside `buffer`.
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let piece = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(ImportLimits.chunkBytes))
      let count = if let gzip { try gzip.read(into: piece) } else { try input.read(into: piece) }
      if count == 0 { break }
      done += count
    }
    return done
  }
}
