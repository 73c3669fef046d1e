// Reads file headers that are damaged: corrects one flipped bit, or puts a header together again.

import Varve
import VarveFormat

/// Gets at the header of a segment file, whatever it takes.
enum HeaderRepair {
  /// A header, and whether it is what the file says.
  struct Outcome {
    var header: FileHeader
    var isRepaired: Bool
  }

  /// The header of a file, or nil when nothing can be made of it.
  ///
  /// `store` and `replica` are what other files and the directory say.
  static func header(
    of source: any ByteSource, store: StoreID?, replica: ReplicaID?
  ) throws(FormatError) -> Outcome? {
    let bytes = try source.read(0, FileHeader.byteCount)
    do throws(FormatError) {
      return Outcome(header: try FileHeader(bytes), isRepaired: false)
    } catch {
      guard error.code == .badHeader || error.code == .notVarve, bytes.count == 128 else {
        return nil
      }
    }
    if let header = flipped(bytes.array) { return Outcome(header: header, isRepaired: true) }
    guard let header = try rebuilt(source, bytes, store, replica) else { return nil }
    return Outcome(header: header, isRepaired: true)
  }

  /// The only header that differs in one bit and whose check is right.
  private static func flipped(_ array: [UInt8]) -> FileHeader? {
    for bit in 0..<array.count * 8 {
      var candidate = array
      candidate[bit / 8] ^= 1 << UInt8(bit % 8)
      if let header = try? FileHeader(Bytes(candidate)) { return header }
    }
    return nil
  }

  /// A header from the salt, if that is whole, and from what the frames say.
  private static func rebuilt(
    _ source: any ByteSource, _ bytes: Bytes, _ store: StoreID?, _ replica: ReplicaID?
  ) throws(FormatError) -> FileHeader? {
    guard let store, let replica else { return nil }
    let fields = try? bytes.read { (reader: inout ByteReader) throws(FormatError) in
      try reader.skip(56)
      let ordinal = try reader.uint64()
      try reader.skip(8)
      return (ordinal: ordinal, salt: try reader.uint64())
    }
    guard let fields else { return nil }
    var header = FileHeader(
      store: store, replica: replica, ordinal: max(fields.ordinal & 0xFF_FFFF_FFFF, 1),
      firstSequence: 1, salt: fields.salt, previousChain: .zero, created: .zero, previousBytes: 0)
    var scanner = try SegmentScanner(PatchedSource(source, header: header))
    while true {
      let frame: ScannedFrame
      do throws(FormatError) {
        guard case .frame(let next) = try scanner.next() else { return nil }
        frame = next
      } catch {
        if error.code == .unreadable { throw error }
        return nil
      }
      guard frame.header.type == .transaction else { continue }
      guard let content = try? TransactionFrame(frame) else { return nil }
      header.firstSequence = frame.header.sequence
      header.previousChain = content.previousChain
      return header
    }
  }
}
