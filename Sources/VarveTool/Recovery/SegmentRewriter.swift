// Writes transactions of damaged files into new, sealed segments. Their bytes stay as they are.

import Varve
import VarveFormat

/// A sealed segment that was written.
struct RewrittenSegment: Sendable {
  var path: String
  var replica: ReplicaID
  var first: UInt64
  var last: UInt64
  var transactions: UInt64
  var bytes: UInt64
}

/// Writes one segment.
final class SegmentRewriter {
  private let directory: String
  private let disk: any Disk
  private let file: any DiskFile
  private let openPath: String
  private var encoder: SegmentEncoder
  private var written = UInt64(FileHeader.byteCount)
  private var transactions: UInt64 = 0
  /// Whether the segment has its name, or was given up.
  private var isFinished = false
  /// The file that the transactions come from.
  let source: String

  /// Starts a segment that continues a chain.
  init(
    in directory: String, header: FileHeader, schema: [SchemaOperation], source: String,
    disk: any Disk
  ) throws {
    self.directory = directory
    self.disk = disk
    self.source = source
    let openPath = "\(directory)/\(try SegmentName.open(ordinal: header.ordinal).checked()).tmp"
    if try disk.status(openPath) != nil { try disk.remove(openPath) }
    self.openPath = openPath
    file = try disk.open(openPath, .create)
    encoder = SegmentEncoder(header)
    try orAbandon {
      try file.write(header.encoded, at: 0)
      if !schema.isEmpty {
        for payload in SchemaHint.payloads(schema) { encoder.hint(.schema, payload) }
      }
    }
  }

  /// Runs `body`; when it fails, nothing is left of the segment.
  private func orAbandon<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch {
      abandon()
      throw error
    }
  }

  /// Gives the segment up and removes what was written of it.
  func abandon() {
    guard !isFinished else { return }
    isFinished = true
    try? file.close()
    try? disk.remove(openPath)
  }

  var nextSequence: UInt64 { encoder.nextSequence }
  var chain: Hash128 { encoder.chain }
  var length: UInt64 { encoder.offset }

  func append(_ transaction: ScannedTransaction, parts: [ScannedFrame]) throws {
    try orAbandon {
      try encoder.append(copying: transaction, parts: parts)
      transactions += 1
      encoder.endGroup()
      try flush()
    }
  }

  private func flush() throws {
    try file.write(encoder.output, at: written)
    encoder.output.removeAll()
    written = encoder.offset
  }

  /// Seals the segment, makes it durable and gives it its name.
  func finish() throws -> RewrittenSegment { try orAbandon { try sealed() } }

  private func sealed() throws -> RewrittenSegment {
    encoder.seal()
    try flush()
    try file.sync(.full)
    try file.close()
    let source = try FileSource(disk, openPath)
    let whole = try source.read(0, Int(source.length))
    source.close()
    let header = encoder.header
    let name = try SegmentName.sealed(
      first: header.firstSequence, last: encoder.nextSequence - 1,
      hash: Checksum.hash64(seed: 0, whole)
    ).checked()
    let path = "\(directory)/\(name)"
    try disk.rename(openPath, to: path)
    isFinished = true
    try disk.syncDirectory(directory)
    return RewrittenSegment(
      path: path, replica: header.replica, first: header.firstSequence,
      last: encoder.nextSequence - 1, transactions: transactions, bytes: written)
  }
}
