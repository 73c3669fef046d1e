// Segments that a recovery writes: a disk that fails leaves nothing half-written behind.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@testable import VarveTool

@Suite("Recovery: failing disks")
struct RewriterTests {
  private func write(_ disk: SimulatedDisk) throws {
    var random = TestRun.random()
    let spec = SegmentSpec(random.header())
    let draft = try LogFixture.draft(1, padding: 900)
    var encoder = SegmentEncoder(spec.header)
    encoder.append(draft, stamp: .zero, isFullVector: true)
    encoder.endGroup()
    let bytes = Bytes(spec.header.encoded.array + encoder.output.bytes)
    var scanner = try SegmentScanner(MemorySource(bytes))
    guard case .frame(let frame) = try scanner.next() else { return }
    let transaction = try TransactionFrame(frame).transactions[0]
    let rewriter = try SegmentRewriter(
      in: "store", header: spec.header, schema: [.entity(entity: 1, label: "a", flags: 0)],
      source: "x", disk: disk)
    try rewriter.append(transaction, parts: [])
    _ = try rewriter.finish()
  }

  @Test("whatever call fails, no temporary file is left")
  func failures() throws {
    let calls: [DiskCall] = [.create, .write, .sync, .close, .rename, .open, .read]
    var failed = 0
    for call in calls {
      for ordinal in 1...4 {
        let disk = SimulatedDisk()
        try disk.makeDirectory("store")
        disk.inject(
          DiskFault(.fail(call == .write ? .noSpace : .inputOutput), on: call, ordinal: ordinal))
        do { try write(disk) } catch { failed += 1 }
        #expect(!disk.paths.contains { $0.hasSuffix(".tmp") }, "\(call) \(ordinal)")
      }
    }
    #expect(failed >= 7)
  }

  @Test("numbers that no name holds are an error and leave nothing")
  func numbers() throws {
    let disk = SimulatedDisk()
    try disk.makeDirectory("store")
    var random = TestRun.random()
    var header = random.header()
    header.ordinal = 1 << 40
    #expect(throws: FormatError.self) {
      _ = try SegmentRewriter(in: "store", header: header, schema: [], source: "x", disk: disk)
    }
    header.ordinal = 1
    header.firstSequence = 1 << 40
    #expect(throws: FormatError.self) {
      _ = try SegmentRewriter(
        in: "store", header: header, schema: [], source: "x", disk: disk
      ).finish()
    }
    #expect(!disk.paths.contains { $0.hasSuffix(".tmp") })
  }
}
