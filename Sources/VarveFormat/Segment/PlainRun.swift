// Passes plain units without taking them apart: verifying small frames costs their hashes, not the
// structures that describe them. What is not plain, or not sound, is left to the cursor.

/// Units that were passed in one go.
///
/// A unit is plain when it is one frame without parts, not compressed, whose transactions have
/// stamps above all before them. All rules of `SegmentState` are checked, by the same functions.
struct PlainRun {
  private(set) var nextSequence: UInt64
  private(set) var chain: Hash128
  /// Where the frame behind the run starts.
  private(set) var end: UInt64
  private(set) var synced: UInt64 = 0
  /// The smallest stamp of the run; of no meaning without transactions.
  private(set) var firstStamp = Stamp(rawValue: .max)
  /// The largest stamp of the run, or before it.
  private(set) var lastStamp: Stamp
  private(set) var transactions: UInt64 = 0
  private(set) var frames: UInt64 = 0
  private(set) var rawBytes: UInt64 = 0

  /// Starts where a segment stands; `lastStamp` is the largest stamp so far.
  init(_ state: SegmentState, at position: UInt64, lastStamp: Stamp) {
    nextSequence = state.nextSequence
    chain = state.chain
    end = position
    self.lastStamp = lastStamp
  }

  /// Takes the frame at the reader in if it is plain and sound; else nothing changes.
  @inline(__always)
  mutating func take(_ reader: inout ByteReader, salt: UInt64) -> Bool {
    do throws(FormatError) { return try add(&reader, salt: salt) } catch { return false }
  }

  @inline(__always)
  private mutating func add(_ reader: inout ByteReader, salt: UInt64) throws(FormatError) -> Bool {
    let header = try FrameHeader(&reader, offset: end, salt: salt)
    guard header.type == .transaction, !header.flags.contains(.compressed),
      header.sequence == nextSequence
    else { return false }
    var payload = reader
    try header.verify(&reader, offset: end)
    guard try payload.hash128() == chain else { return false }
    let count = UInt64(try payload.uint32())
    guard try payload.uint32() == 0, count >= 1, count <= UInt64(Limits.frameTransactionsMax),
      count <= .max - nextSequence
    else { return false }
    var (chain, last, first) = (self.chain, lastStamp, Stamp.zero)
    for index in 0..<count {
      let fields = try TransactionFields(&payload, after: chain, sequence: nextSequence + index)
      guard fields.partCount == 0, fields.stamp > last else { return false }
      chain = fields.chain
      last = fields.stamp
      if index == 0 { first = fields.stamp }
    }
    // The transactions end where the frame says, before its padding.
    guard payload.position == reader.position - header.paddingBytes else { return false }
    self.chain = chain
    lastStamp = last
    firstStamp = min(firstStamp, first)
    nextSequence += count
    transactions += count
    frames += 1
    rawBytes += UInt64(header.rawLength)
    synced = max(synced, header.syncedOffset)
    end += UInt64(header.frameBytes)
    return true
  }
}

extension SegmentScanner {
  /// Passes the plain units from the position on that lie in the window as a whole.
  mutating func pass(_ run: inout PlainRun) {
    guard position >= windowOffset, limit > windowOffset else { return }
    let (origin, salt) = (windowOffset, header.salt)
    let readable = Int(min(UInt64(window.count), limit - windowOffset))
    guard position - origin < UInt64(readable) else { return }
    let skipped = Int(position - origin)
    var passed = run
    window.slice(0, readable).read(origin: origin) { (reader: inout ByteReader) in
      guard (try? reader.skip(skipped)) != nil else { return }
      while passed.take(&reader, salt: salt) {}
    }
    hashedBytes += passed.end - run.end
    position = passed.end
    run = passed
  }
}
