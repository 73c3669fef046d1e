// Buffered output over write(2), or into memory for tests.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Collects bytes and writes them in large pieces.
final class OutputWriter {
  /// Bytes that are collected before a write.
  static let bufferBytes = 64 << 10

  private enum Target {
    case descriptor(Int32, path: String?, isOwned: Bool)
    case memory
  }

  private let target: Target
  private var buffer: [UInt8] = []
  private var written: UInt64 = 0
  /// Whether a write failed: what follows is dropped.
  private var isBroken = false
  private var isClosed = false
  /// Whether a person reads along.
  let isTerminal: Bool

  private init(_ target: Target, isTerminal: Bool) {
    self.target = target
    self.isTerminal = isTerminal
  }

  /// Writes to a descriptor that stays open.
  convenience init(descriptor: Int32) {
    let path = descriptor == 2 ? "standard error" : nil
    self.init(
      .descriptor(descriptor, path: path, isOwned: false), isTerminal: isatty(descriptor) == 1)
  }

  /// Writes to a new file.
  ///
  /// A file that is there already is refused unless `replacing`.
  convenience init(creating path: String, replacing: Bool = false) throws(OutputError) {
    let descriptor = open(
      path, O_WRONLY | O_CREAT | O_CLOEXEC | (replacing ? O_TRUNC : O_EXCL), 0o666)
    if descriptor < 0 {
      let number = errno
      if number == EEXIST {
        throw OutputError(.exists, "the file exists already; name a new one", path: path)
      }
      throw OutputError(.failed, "cannot create it: \(SystemText.error(number))", path: path)
    }
    self.init(.descriptor(descriptor, path: path, isOwned: true), isTerminal: false)
  }

  /// Keeps everything in memory; `memoryText` reads it.
  static func memory(isTerminal: Bool = false) -> OutputWriter {
    OutputWriter(.memory, isTerminal: isTerminal)
  }

  deinit {
    if case .descriptor(let descriptor, _, isOwned: true) = target, !isClosed {
      _ = systemClose(descriptor)
    }
  }

  /// What a writer in memory holds.
  var memoryText: String { String(decoding: buffer, as: UTF8.self) }

  func write(_ text: String) throws(OutputError) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= OutputWriter.bufferBytes { try drain() }
  }

  func write(_ bytes: [UInt8]) throws(OutputError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= OutputWriter.bufferBytes { try drain() }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= OutputWriter.bufferBytes { try drain() }
  }

  func line(_ text: String = "") throws(OutputError) {
    buffer.append(contentsOf: text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= OutputWriter.bufferBytes { try drain() }
  }

  /// Writes what is buffered.
  func flush() throws(OutputError) { try drain() }

  /// Writes what is buffered and closes a file of its own.
  func close() throws(OutputError) {
    try drain()
    guard case .descriptor(let descriptor, let path, isOwned: true) = target, !isClosed else {
      return
    }
    isClosed = true
    if systemClose(descriptor) != 0 {
      throw OutputError(.failed, "cannot close it: \(SystemText.error(errno))", path: path)
    }
  }

  private func drain() throws(OutputError) {
    guard case .descriptor(let descriptor, let path, _) = target else { return }
    defer { buffer.removeAll(keepingCapacity: true) }
    if isBroken { return }
    var done = 0
    while done < buffer.count {
      // SAFETY: the pointer is used only inside the closure, and `done` is below the count.
      let count = buffer.withUnsafeBytes { bytes in
        systemWrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      }
      if count >= 0 {
        done += count
        written += UInt64(count)
        continue
      }
      let number = errno
      if number == EINTR { continue }
      if number == EAGAIN {
        waitUntilWritable(descriptor)
        continue
      }
      isBroken = true
      if number == EPIPE {
        throw OutputError(.closedPipe, "nobody reads the output", path: path, offset: written)
      }
      throw OutputError(
        .failed, "cannot write: \(SystemText.error(number))", path: path, offset: written)
    }
  }

  private func waitUntilWritable(_ descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, -1)
  }
}

/// close(2), under a name that no method hides.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// write(2), under a name that no method hides.
private func systemWrite(_ descriptor: Int32, _ base: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, base, count)
}
