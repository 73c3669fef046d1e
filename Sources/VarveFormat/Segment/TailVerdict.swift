// Judges how a segment ends: crash, rot, or neither. See Formats/Segment.md section 5.

/// What the end of an unsealed segment means.
package enum TailVerdict: String, Sendable, CaseIterable {
  /// It ends with a SEAL and a trailer.
  case sealed
  /// It ends at a unit; nothing but zeros follows.
  case clean
  /// A crash cut the last write short; nothing acknowledged is missing.
  case torn
  /// The tail cannot be read and does not look like a crash: acknowledged data may be missing.
  case suspect
  /// Data that were promised durable, or sealed, cannot be read.
  case corrupt

  /// The worse of two verdicts.
  package static func worse(_ a: TailVerdict, _ b: TailVerdict) -> TailVerdict {
    let order = TailVerdict.allCases
    return (order.firstIndex(of: a) ?? 0) >= (order.firstIndex(of: b) ?? 0) ? a : b
  }
}

extension SegmentScanner {
  /// The end of the data was reached without a SEAL; behind it are zeros, up to `rest` if not all.
  mutating func judgeEnd(_ state: SegmentState, _ durableMark: UInt64, rest: UInt64?)
    throws(FormatError) -> SegmentReading
  {
    var reading = SegmentReading(verdict: .clean, state: state)
    if state.accepted < durableMark {
      reading.verdict = .corrupt
      reading.problem = FormatError(
        .truncated, "\(durableMark) bytes were durable and \(state.accepted) are there",
        offset: state.accepted)
    } else if let end = rest {
      // Something lies behind the zeros: a torn write whose first sectors are missing, or worse.
      let problem = FormatError(
        .truncated, "zeros are followed by other bytes", offset: position)
      reading = try judge(state, durableMark, problem, isValidFrame: false)
      reading.droppedBytes = max(end, state.accepted) - state.accepted
    } else if !state.pendingParts.isEmpty {
      reading.verdict = try laterPromise(from: position, above: state.accepted) ? .corrupt : .torn
      reading.droppedBytes = position - state.accepted
      reading.problem = FormatError(
        .truncated, "\(state.pendingParts.count) parts without their transaction",
        offset: state.accepted)
    }
    return reading
  }

  /// The frame at the position is bad, or breaks a rule although its hashes are right.
  mutating func judge(
    _ state: SegmentState, _ durableMark: UInt64, _ problem: FormatError, isValidFrame: Bool
  ) throws(FormatError) -> SegmentReading {
    var reading = SegmentReading(verdict: .torn, state: state)
    reading.problem = problem
    let start = state.accepted
    reading.droppedBytes = max(try remainder(from: start) ?? start, start) - start
    if isValidFrame || start < durableMark {
      reading.verdict = .corrupt
    } else if try laterPromise(from: position + 8, above: start) {
      reading.verdict = .corrupt
    } else if try !hasZeroPiece(frameAt: position) {
      reading.verdict = try endsWithTrailer() ? .corrupt : .suspect
    }
    return reading
  }

  /// Whether a valid frame at or behind `offset` promises durable bytes above `accepted`.
  private mutating func laterPromise(from offset: UInt64, above accepted: UInt64)
    throws(FormatError) -> Bool
  {
    var offset = offset
    while let frame = try resynchronise(from: offset) {
      if frame.header.syncedOffset > accepted { return true }
      offset = frame.offset + 8
    }
    // Only a crafted tail uses the search up; it is not given the benefit of the doubt.
    return isSearchExhausted
  }

  /// Whether the bad frame at `offset` has an all-zero piece of a sector, or passes the file's end.
  ///
  /// The piece examined is the whole frame when its header is valid, else the 40 bytes of the
  /// header.
  mutating func hasZeroPiece(frameAt offset: UInt64) throws(FormatError) -> Bool {
    let headerBytes = try raw(offset, FrameHeader.byteCount)
    guard headerBytes.count == FrameHeader.byteCount else { return true }
    var length = FrameHeader.byteCount
    let salt = header.salt
    let parsed = try? headerBytes.read(origin: offset) {
      (reader: inout ByteReader) throws(FormatError) in
      try FrameHeader(&reader, offset: offset, salt: salt)
    }
    if let parsed { length = parsed.frameBytes }
    return try hasZeroPiece(at: offset, length: length)
  }

  /// Whether a range has an all-zero piece of a 512-byte sector, or passes the end of the file.
  mutating func hasZeroPiece(at offset: UInt64, length: Int) throws(FormatError) -> Bool {
    let bytes = try raw(offset, length)
    guard bytes.count == length else { return true }
    var start = 0
    while start < length {
      let end = min(length, start + 512 - Int((offset + UInt64(start)) % 512))
      if bytes.slice(start, end - start).isZero { return true }
      start = end
    }
    return false
  }

  /// The end of the last byte that is not zero at or behind `offset`, nil when all are zero.
  mutating func remainder(from offset: UInt64) throws(FormatError) -> UInt64? {
    var last: UInt64?
    var offset = offset
    while offset < limit {
      let bytes = try raw(offset, 1 << 20)
      guard bytes.count > 0 else { break }
      if !bytes.isZero {
        bytes.withUnsafeBytes { buffer in
          if let index = buffer.lastIndex(where: { $0 != 0 }) { last = offset + UInt64(index) + 1 }
        }
      }
      offset += UInt64(bytes.count)
    }
    return last
  }

  /// Whether a valid trailer at the end says that the file was sealed.
  mutating func endsWithTrailer() throws(FormatError) -> Bool {
    let size = UInt64(Trailer.byteCount)
    guard limit >= UInt64(FileHeader.byteCount) + size else { return false }
    let bytes = try raw(limit - size, Trailer.byteCount)
    return (try? Trailer(bytes, offset: limit - size, salt: header.salt)) != nil
  }

  /// A SEAL was read: what it says and its trailer must agree with the walk.
  ///
  /// The scanner stands behind the SEAL. `comparesCount` is false when the walk started anew
  /// behind damage.
  mutating func judgeSeal(
    _ state: SegmentState, _ frame: ScannedFrame, _ durableMark: UInt64, comparesCount: Bool
  ) throws(FormatError) -> SegmentReading {
    var reading = SegmentReading(verdict: .corrupt, state: state)
    let end = position + UInt64(Trailer.byteCount)
    let bytes = try raw(position, Trailer.byteCount)
    do throws(FormatError) {
      let seal = try readSeal(state, frame, comparesCount: comparesCount)
      reading.seal = seal
    } catch {
      return try dropped(reading, error)
    }
    let trailer: Trailer
    do throws(FormatError) {
      trailer = try Trailer(bytes, offset: position, salt: header.salt)
    } catch {
      // SEAL and trailer are one write, which a crash can cut like any other.
      let isTorn = try hasZeroPiece(at: position, length: Trailer.byteCount)
      if isTorn, state.accepted >= durableMark,
        try !laterPromise(from: position, above: state.accepted)
      {
        reading.verdict = .torn
      }
      let problem = FormatError(.badTrailer, error.message, offset: position)
      return try dropped(reading, problem)
    }
    guard trailer.chain == state.chain, trailer.sealOffset == frame.offset else {
      return try dropped(
        reading, FormatError(.badTrailer, "the trailer contradicts the SEAL", offset: position))
    }
    if let last = try remainder(from: end) {
      return try dropped(
        reading,
        FormatError(.badTrailer, "bytes up to \(last) follow the trailer", offset: end))
    }
    reading.verdict = .sealed
    reading.state.acceptSeal(end: end)
    return reading
  }

  private func readSeal(
    _ state: SegmentState, _ frame: ScannedFrame, comparesCount: Bool
  ) throws(FormatError) -> Seal {
    let seal = try frame.content {
      (reader: inout ByteReader) throws(FormatError) in try Seal(&reader)
    }
    guard seal.chain == state.chain, seal.lastSequence == state.nextSequence &- 1,
      seal.firstSequence == header.firstSequence,
      !comparesCount || seal.transactions == state.transactions
    else {
      throw FormatError(
        .badSeal, "the SEAL contradicts the transactions before it", offset: frame.offset)
    }
    return seal
  }

  /// A reading that ends before the SEAL.
  private mutating func dropped(_ reading: SegmentReading, _ problem: FormatError)
    throws(FormatError) -> SegmentReading
  {
    var reading = reading
    let start = reading.accepted
    reading.problem = problem
    reading.droppedBytes = max(try remainder(from: start) ?? start, start) - start
    return reading
  }
}
