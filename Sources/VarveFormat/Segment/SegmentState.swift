// What must continue from frame to frame: sequence, chain and the parts of the transaction to come.

/// A transaction as it lies in a frame, with its place in the chain.
package struct ScannedTransaction: Sendable {
  package let sequence: UInt64
  package let stamp: Stamp
  package let flags: TransactionFlags
  package let operations: Int
  package let partCount: Int
  /// All bytes, from the version byte on.
  package let bytes: Bytes
  package let hash: Hash128
  /// The chain after this transaction.
  package let chain: Hash128

  /// The whole header and the inline operation bytes.
  package func decoded(origin: UInt64 = 0) throws(FormatError) -> (
    header: TransactionHeader, operations: Bytes
  ) {
    try ScannedTransaction.decode(bytes, origin: origin)
  }

  /// The header and the inline operation bytes of a whole transaction.
  static func decode(_ bytes: Bytes, origin: UInt64 = 0) throws(FormatError) -> (
    header: TransactionHeader, operations: Bytes
  ) {
    var start = 0
    let header = try bytes.read(origin: origin) { (reader: inout ByteReader) throws(FormatError) in
      var operations = ByteReader.empty
      let header = try TransactionHeader(&reader, operationBytes: &operations)
      start = bytes.count - operations.count
      return header
    }
    return (header, bytes.slice(start, bytes.count - start))
  }
}

/// What stands in front of every transaction, and its place in the chain.
struct TransactionFields {
  let stamp: Stamp
  let flags: TransactionFlags
  let operations: Int
  let partCount: Int
  let hash: Hash128
  let chain: Hash128

  /// Reads the fixed fields of the transaction that is due, passes it and hashes it.
  @inline(__always)
  init(_ reader: inout ByteReader, after previous: Hash128, sequence: UInt64) throws(FormatError) {
    let start = reader.position
    let version = try reader.uint8()
    guard version == FormatVersion.transaction else {
      throw reader.error(.unknownVersion, "transaction version \(version)")
    }
    flags = TransactionFlags(rawValue: try reader.uint8())
    guard try reader.uint16() == 0 else {
      throw reader.error(.badPadding, "2 reserved bytes are not all zero")
    }
    let byteCount = Int(try reader.uint32())
    stamp = Stamp(rawValue: try reader.uint64())
    let stated = try reader.uint64()
    operations = Int(try reader.uint32())
    partCount = Int(try reader.uint32())
    guard stated == sequence else {
      throw reader.error(.badSequence, "transaction \(stated) where \(sequence) is due")
    }
    try reader.skip(byteCount - (reader.position - start))
    hash = reader.hash128(from: start)
    chain = Checksum.chain(previous, hash)
  }
}

/// The transactions of one frame, at least one; a single one costs no allocation.
package struct TransactionList: Sendable, RandomAccessCollection {
  private let head: ScannedTransaction
  private let tail: [ScannedTransaction]
  package let minStamp: Stamp
  package let maxStamp: Stamp
  /// The chain after the last one.
  let chain: Hash128
  /// Whether one of them lists parts.
  let hasParts: Bool
  private let isAscending: Bool

  init(_ head: ScannedTransaction, _ tail: [ScannedTransaction]) {
    self.head = head
    self.tail = tail
    var (minStamp, maxStamp) = (head.stamp, head.stamp)
    var (hasParts, isAscending) = (head.partCount > 0, true)
    for transaction in tail {
      if transaction.stamp <= maxStamp { isAscending = false }
      minStamp = Swift.min(minStamp, transaction.stamp)
      maxStamp = Swift.max(maxStamp, transaction.stamp)
      if transaction.partCount > 0 { hasParts = true }
    }
    self.minStamp = minStamp
    self.maxStamp = maxStamp
    chain = tail.last?.chain ?? head.chain
    self.hasParts = hasParts
    self.isAscending = isAscending
  }

  /// Whether each stamp is above `stamp` and above the one before it.
  func ascends(from stamp: Stamp) -> Bool { isAscending && head.stamp > stamp }

  package var startIndex: Int { 0 }
  package var endIndex: Int { tail.count + 1 }
  package subscript(index: Int) -> ScannedTransaction { index == 0 ? head : tail[index - 1] }
}

/// What commits at once: a TX frame with the parts before it.
package struct Unit: Sendable {
  package let transactions: TransactionList
  package let parts: [ScannedFrame]
  /// Where the unit starts and ends in the file.
  package let start: UInt64
  package let frame: ScannedFrame

  package var end: UInt64 { frame.end }
}

/// The running state of a walk over the frames of one segment.
package struct SegmentState: Sendable {
  package private(set) var nextSequence: UInt64
  package private(set) var chain: Hash128
  /// The end of the last unit, mark or hint: what a recovery accepts (Segment.md section 5).
  package private(set) var accepted = UInt64(FileHeader.byteCount)
  /// The largest synced offset that an accepted frame promised.
  package private(set) var synced = UInt64(FileHeader.byteCount)
  package private(set) var pendingParts: [ScannedFrame] = []
  package private(set) var maxStamp = Stamp.zero
  package private(set) var minStamp = Stamp(rawValue: .max)
  package private(set) var transactions: UInt64 = 0
  package private(set) var isSealed = false

  package init(_ header: FileHeader) {
    nextSequence = header.firstSequence
    chain = header.previousChain
  }

  /// Checks that a valid frame continues the segment, and returns the unit that it completes.
  package mutating func accept(_ frame: ScannedFrame) throws(FormatError) -> Unit? {
    guard frame.header.sequence == nextSequence else {
      throw FormatError(
        .badSequence, "sequence \(frame.header.sequence) where \(nextSequence) is due",
        offset: frame.offset)
    }
    var unit: Unit?
    switch frame.header.type {
    case .transaction: unit = try acceptTransactions(frame)
    case .transactionPart, .columnBlock:
      guard pendingParts.count < Limits.partsMax else {
        throw FormatError(.badPart, "too many parts before one transaction", offset: frame.offset)
      }
      pendingParts.append(frame)
      return nil
    default:
      guard pendingParts.isEmpty else {
        throw FormatError(
          .badPart, "a \(frame.header.type.name) frame inside a transaction", offset: frame.offset)
      }
      if frame.header.type == .mark { try acceptMark(frame) }
      if frame.header.type == .seal {
        // Only its trailer makes it part of the file: see `acceptSeal`.
        isSealed = true
        return nil
      }
    }
    // A SEAL is no end of data: without its trailer it counts for nothing.
    if !isSealed { accepted = frame.end }
    synced = max(synced, frame.header.syncedOffset)
    return unit
  }

  /// Plain units were passed that continue the segment; see `PlainRun`.
  mutating func accept(_ run: PlainRun) {
    nextSequence = run.nextSequence
    chain = run.chain
    accepted = run.end
    synced = max(synced, run.synced)
    maxStamp = max(maxStamp, run.lastStamp)
    minStamp = min(minStamp, run.firstStamp)
    transactions += run.transactions
  }

  /// A valid trailer follows the SEAL: the file is accepted up to the trailer's end.
  mutating func acceptSeal(end: UInt64) { accepted = end }

  private func acceptMark(_ frame: ScannedFrame) throws(FormatError) {
    let stated = try frame.content {
      (reader: inout ByteReader) throws(FormatError) in
      let chain = try reader.hash128()
      try reader.finish(.badLength, "a MARK")
      return chain
    }
    guard stated == chain else {
      throw FormatError(.badChain, "a MARK states another chain", offset: frame.offset)
    }
  }

  private mutating func acceptTransactions(_ frame: ScannedFrame) throws(FormatError) -> Unit {
    let payload = try frame.payload()
    let list: TransactionList
    let start = pendingParts.first?.offset ?? frame.offset
    do throws(FormatError) {
      list = try payload.read(origin: 0) { (reader: inout ByteReader) throws(FormatError) in
        try readTransactions(&reader, payload)
      }
      try checkParts(list, frame)
    } catch {
      var located = error
      located.offset = frame.offset
      throw located
    }
    maxStamp = max(maxStamp, list.maxStamp)
    minStamp = min(minStamp, list.minStamp)
    transactions += UInt64(list.count)
    nextSequence += UInt64(list.count)
    chain = list.chain
    let unit = Unit(transactions: list, parts: pendingParts, start: start, frame: frame)
    if !pendingParts.isEmpty { pendingParts = [] }
    return unit
  }

  private func readTransactions(_ reader: inout ByteReader, _ payload: Bytes)
    throws(FormatError) -> TransactionList
  {
    guard try reader.hash128() == chain else {
      throw reader.error(.badChain, "the transaction does not continue the chain")
    }
    let count = Int(try reader.uint32())
    let partCount = Int(try reader.uint32())
    guard count >= 1, count <= Limits.frameTransactionsMax, partCount == pendingParts.count,
      partCount == 0 || count == 1
    else {
      throw reader.error(
        .badTransaction,
        "\(count) transactions and \(partCount) parts, with \(pendingParts.count) parts in front")
    }
    guard UInt64(count) <= .max - nextSequence else {
      throw reader.error(.badSequence, "\(count) transactions from sequence \(nextSequence) on")
    }
    for part in pendingParts {
      guard try reader.uint64() == part.offset else {
        throw reader.error(.badPart, "a part lies elsewhere than its transaction says")
      }
    }
    let head = try SegmentState.transaction(
      &reader, payload, after: chain, sequence: nextSequence)
    var running = head.chain
    var tail: [ScannedTransaction] = []
    if count > 1 { tail.reserveCapacity(min(count - 1, Limits.reservedMax)) }
    for index in 1..<count {
      let transaction = try SegmentState.transaction(
        &reader, payload, after: running, sequence: nextSequence + UInt64(index))
      running = transaction.chain
      tail.append(transaction)
    }
    try reader.finish(.badTransaction, "a TX frame")
    return TransactionList(head, tail)
  }

  /// Reads the fixed fields of one transaction and hashes it.
  static func transaction(
    _ reader: inout ByteReader, _ payload: Bytes, after chain: Hash128, sequence: UInt64
  ) throws(FormatError) -> ScannedTransaction {
    let start = reader.position
    let fields = try TransactionFields(&reader, after: chain, sequence: sequence)
    return ScannedTransaction(
      sequence: sequence, stamp: fields.stamp, flags: fields.flags, operations: fields.operations,
      partCount: fields.partCount, bytes: payload.slice(start, reader.position - start),
      hash: fields.hash, chain: fields.chain)
  }

  /// The part list must describe the parts that stand in front.
  private func checkParts(_ list: TransactionList, _ frame: ScannedFrame) throws(FormatError) {
    guard !pendingParts.isEmpty else {
      guard !list.hasParts else {
        throw FormatError(.badPart, "a transaction lacks its parts")
      }
      return
    }
    let (header, _) = try list[0].decoded()
    guard header.parts.count == pendingParts.count else {
      throw FormatError(.badPart, "\(header.parts.count) parts are listed")
    }
    for (entry, part) in zip(header.parts, pendingParts) {
      guard entry.frameType == part.header.type, entry.rawLength == part.header.rawLength else {
        throw FormatError(.badPart, "the part at \(part.offset) is not the one listed")
      }
    }
  }
}
