// Bytes as they come: from a file, standard input or memory.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A one-way stream of bytes.
final class RawInput {
  private enum Origin {
    case descriptor(Int32, isOwned: Bool)
    case memory([UInt8])
  }

  private let origin: Origin
  /// The file, for errors.
  let path: String?
  /// Bytes that were read.
  private(set) var offset: UInt64 = 0
  /// A copy of what is read, while it may have to be read again.
  private var record: [UInt8]?

  /// Opens a file.
  init(path: String) throws(ImportError) {
    // SAFETY: a system call on a path that Swift passes as a C string.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw RawInput.failure("open", errno, path, offset: nil) }
    origin = .descriptor(descriptor, isOwned: true)
    self.path = path
  }

  /// Reads a descriptor that stays open.
  init(descriptor: Int32, path: String?) {
    origin = .descriptor(descriptor, isOwned: false)
    self.path = path
  }

  /// Reads memory.
  init(bytes: [UInt8], path: String?) {
    origin = .memory(bytes)
    self.path = path
  }

  deinit {
    if case .descriptor(let descriptor, isOwned: true) = origin { _ = close(descriptor) }
  }

  /// Whether `path` is a regular file, which can be read twice.
  static func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    // SAFETY: the call fills in the structure that it is given.
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Keeps a copy of everything that is read from now on.
  func beginRecord() { record = [] }

  /// Drops the copy.
  func endRecord() { record = nil }

  /// Fills some of `buffer`; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    let count = try readOnce(into: buffer)
    // SAFETY: `count` bytes were just read.
    record?.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }

  private func readOnce(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    switch origin {
    case .memory(let bytes):
      let count = min(buffer.count, bytes.count - Int(offset))
      // SAFETY: `count` bytes are left in `bytes` behind `offset`, and `buffer` has room for them.
      bytes.withUnsafeBytes { source in
        buffer.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: source[Int(offset)..<Int(offset) + count]))
      }
      offset += UInt64(count)
      return count
    case .descriptor(let descriptor, _):
      while true {
        // SAFETY: the call writes at most `buffer.count` bytes.
        let count = systemRead(descriptor, buffer.baseAddress, buffer.count)
        if count >= 0 {
          offset += UInt64(count)
          return count
        }
        let number = errno
        if number == EINTR { continue }
        throw RawInput.failure("read", number, path, offset: offset)
      }
    }
  }

  /// What was recorded and all that is left, unless it is more than `limit` bytes: then nil.
  func readAll(limit: Int) throws(ImportError) -> [UInt8]? {
    let piece = UnsafeMutableRawBufferPointer.allocate(
      byteCount: ImportLimits.chunkBytes, alignment: 16)
    defer { piece.deallocate() }
    var all = record ?? []
    record = nil
    while all.count <= limit {
      let count = try readOnce(into: piece)
      if count == 0 { return all }
      // SAFETY: `count` bytes were just read.
      all.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[..<count]))
    }
    return nil
  }

  private static func failure(
    _ call: String, _ number: Int32, _ path: String?, offset: UInt64?
  ) -> ImportError {
    // SAFETY: `strerror` returns a C string that lives until the next call on this thread.
    let reason = strerror(number).map { String(cString: $0) } ?? "error \(number)"
    return ImportError(.unreadable, "\(call): \(reason)", path: path, offset: offset)
  }
}

/// read(2), under a name that no method hides.
private func systemRead(_ descriptor: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
  read(descriptor, base, count)
}
