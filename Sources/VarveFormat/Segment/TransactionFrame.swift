// Reads a TX frame by itself, without the parts and the chain before it: for tools on damaged
// files.

/// What a TX frame says, whether or not its parts are there.
package struct TransactionFrame: Sendable {
  /// Chain, and the counts of transactions and parts.
  static let fixedBytes = 24

  /// The chain before its first transaction.
  package let previousChain: Hash128
  /// Where its parts lie.
  package let partOffsets: [UInt64]
  package let transactions: [ScannedTransaction]

  /// Reads the payload of a frame of type `transaction`.
  ///
  /// Sequences must go up by one from the frame's; the chain is taken as stated.
  package init(_ frame: ScannedFrame) throws(FormatError) {
    let payload = try frame.payload()
    do throws(FormatError) {
      self = try payload.read { (reader: inout ByteReader) throws(FormatError) in
        try TransactionFrame(&reader, payload, first: frame.header.sequence)
      }
    } catch {
      var located = error
      located.offset = frame.offset
      throw located
    }
  }

  private init(_ reader: inout ByteReader, _ payload: Bytes, first: UInt64) throws(FormatError) {
    previousChain = try reader.hash128()
    let count = Int(try reader.uint32())
    let parts = Int(try reader.uint32())
    guard count >= 1, count <= Limits.frameTransactionsMax, parts <= Limits.partsMax,
      parts == 0 || count == 1, parts <= reader.remaining / 8
    else { throw reader.error(.badTransaction, "\(count) transactions and \(parts) parts") }
    var offsets: [UInt64] = []
    for _ in 0..<parts { offsets.append(try reader.uint64()) }
    partOffsets = offsets
    var list: [ScannedTransaction] = []
    var chain = previousChain
    for index in 0..<count {
      let transaction = try SegmentState.transaction(
        &reader, payload, after: chain, sequence: first &+ UInt64(index))
      chain = transaction.chain
      list.append(transaction)
    }
    try reader.finish(.badTransaction, "a TX frame")
    transactions = list
  }

  /// The chain behind its last transaction.
  package var chain: Hash128 { transactions.last?.chain ?? previousChain }
}

extension ScannedFrame {
  /// The frame without its payload, for walks that keep many frames.
  package func withoutPayload() -> ScannedFrame {
    ScannedFrame(offset: offset, header: header, stored: .empty)
  }
}
