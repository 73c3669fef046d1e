// Gzip files, decoded as they are read. Several members in a row are one text, as in the format's
// description.

import CZlib

/// Decodes gzip.
package final class GzipStream {
  /// The version of the library, for `varve --version`.
  // SAFETY: zlib returns a constant C string.
  package static var libraryVersion: String { zlibVersion().map { String(cString: $0) } ?? "?" }

  private static let inputBytes = 256 << 10

  private let source: RawInput
  /// zlib keeps the address of the stream, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutableRawBufferPointer
  private var isSourceAtEnd = false
  private var isInMember = true
  private var isAtEnd = false

  /// Decodes `head`, then what `source` has left.
  init(_ source: RawInput, head: [UInt8]) throws(ImportError) {
    self.source = source
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    input = .allocate(byteCount: GzipStream.inputBytes, alignment: 16)
    precondition(head.count <= GzipStream.inputBytes, "the head is a few bytes")
    input.copyBytes(from: head)
    // SAFETY: `next_in` has `avail_in` bytes; both stay alive until `deinit`.
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(head.count)
    guard varve_inflate_start(stream) == Z_OK else {
      throw ImportError(.corruptGzip, "zlib cannot start: out of memory", path: source.path)
    }
  }

  deinit {
    // SAFETY: ends what `varve_inflate_start` began; harmless when it failed.
    _ = inflateEnd(stream)
    stream.deallocate()
    input.deallocate()
  }

  /// The offset in the compressed file.
  private var offset: UInt64 { source.offset - UInt64(stream.pointee.avail_in) }

  /// Fills some of `buffer`; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    if isAtEnd || buffer.isEmpty { return 0 }
    // SAFETY: zlib writes at most `avail_out` bytes to `next_out`.
    stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(clamping: buffer.count)
    let room = stream.pointee.avail_out
    while stream.pointee.avail_out == room {
      if stream.pointee.avail_in == 0 && !isSourceAtEnd { try refill() }
      if !isInMember {
        guard try beginNextMember() else {
          isAtEnd = true
          return 0
        }
      }
      try step()
    }
    return Int(room - stream.pointee.avail_out)
  }

  private func refill() throws(ImportError) {
    let count = try source.read(into: input)
    isSourceAtEnd = count == 0
    // SAFETY: `count` bytes were just read to the start of `input`.
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(count)
  }

  private func step() throws(ImportError) {
    // SAFETY: both buffers of the stream are valid, see above.
    let status = inflate(stream, Z_NO_FLUSH)
    switch status {
    case Z_STREAM_END: isInMember = false
    case Z_OK, Z_BUF_ERROR:
      guard isSourceAtEnd, stream.pointee.avail_in == 0, stream.pointee.avail_out > 0 else {
        return
      }
      throw ImportError(
        .truncatedGzip, "the gzip file ends in the middle of its data; fetch it again",
        path: source.path, offset: offset)
    default:
      // SAFETY: `msg` is nil or a constant C string.
      let reason = stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(status)"
      throw ImportError(
        .corruptGzip, "the gzip data is damaged (\(reason)); fetch the file again",
        path: source.path, offset: offset)
    }
  }

  /// Whether another member follows.
  ///
  /// Zero bytes behind the last are padding.
  private func beginNextMember() throws(ImportError) -> Bool {
    var sawPadding = false
    while true {
      if stream.pointee.avail_in == 0 {
        if isSourceAtEnd { return false }
        try refill()
        continue
      }
      // SAFETY: `avail_in` is not 0.
      let byte = stream.pointee.next_in.pointee
      if byte == 0 {
        sawPadding = true
        stream.pointee.next_in += 1
        stream.pointee.avail_in -= 1
        continue
      }
      guard byte == 0x1F, !sawPadding else {
        throw ImportError(
          .corruptGzip, "other bytes follow the gzip data; fetch the file again",
          path: source.path, offset: offset)
      }
      // SAFETY: the stream was started and not ended.
      _ = inflateReset(stream)
      isInMember = true
      return true
    }
  }
}
