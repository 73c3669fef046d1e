// Small durable transactions against the raw rate of append and sync (T2).

import Varve
import VarveFormat

extension Workload {
  static let commitSingle = Workload(
    name: "commit.single", group: "write",
    title: "transactions of 200 bytes, full durability, one thread"
  ) { scale in
    try commits(
      scale, name: "commit.single", threads: 1, count: scale.isTiny ? 50 : 600, floor: 0.90)
  }

  static let commitThreads = Workload(
    name: "commit.threads8", group: "write",
    title: "transactions of 200 bytes, full durability, eight threads"
  ) { scale in
    try commits(
      scale, name: "commit.threads8", threads: 8, count: scale.isTiny ? 20 : 300, floor: 0.80)
  }

  static let commitRelaxed = Workload(
    name: "commit.relaxed", group: "write",
    title: "transactions of 200 bytes, relaxed durability, one thread"
  ) { scale in
    let count = scale.isTiny ? 1_000 : 200_000
    let draft = try draft200()
    var rates: [Double] = []
    for _ in 0...scale.samples {
      try withStoreDirectory(scale) { path in
        let log = try Log.create(at: path, disk: PosixDisk())
        let elapsed = try measure {
          for _ in 0..<count { _ = try log.commit(draft, durability: .relaxed) }
        }
        try log.close()
        try check(path, count)
        rates.append(Double(count) / elapsed.seconds)
      }
    }
    return [
      Measurement(
        workload: "commit.relaxed", metric: "transactions/s", unit: "1/s", samples: warm(rates),
        check: "\(count) transactions read back")
    ]
  }

  /// The engine and the raw loop in turn.
  private static func commits(
    _ scale: Scale, name: String, threads: Int, count: Int, floor: Double
  ) throws -> [Measurement] {
    let draft = try draft200()
    var rates: [Double] = []
    var limits: [Double] = []
    var cpu: [Double] = []
    let total = Double(threads * count)
    // Short samples, many of them, engine and raw loop in turn: the ratio survives a noisy machine.
    for _ in 0...scale.samples * 4 {
      try withStoreDirectory(scale) { path in
        let log = try Log.create(at: path, disk: PosixDisk())
        _ = try log.commit(draft)
        let elapsed = try measure { try run(log, draft, threads: threads, count: count) }
        try log.close()
        try check(path, threads * count + 1)
        rates.append(total / elapsed.seconds)
        cpu.append(elapsed.cpuSeconds * 1e6 / total)
        let size = Int(frameBytes(draft))
        let raw =
          threads == 1
          ? try RawLimits.appendAndSync("\(path)/raw", count: count, size: size)
          : try RawLimits.groupCommit("\(path)/raw", threads: threads, count: count, size: size)
        limits.append(total / raw)
      }
    }
    return [
      Measurement(
        workload: name, metric: "transactions/s", unit: "1/s", samples: warm(rates),
        limitName: "raw append+fdatasync", limit: warm(limits),
        floor: scale.isTiny ? nil : .ratioAtLeast(floor),
        check: "\(threads * count + 1) transactions read back"),
      Measurement(
        workload: name, metric: "CPU", unit: "us/transaction", samples: warm(cpu), check: "same run"
      ),
    ]
  }

  private static func run(_ log: Log, _ draft: TransactionDraft, threads: Int, count: Int) throws {
    if threads == 1 {
      for _ in 0..<count { _ = try log.commit(draft) }
      return
    }
    let running = (0..<threads).compactMap { _ in
      BackgroundThread { for _ in 0..<count { _ = try? log.commit(draft) } }
    }
    for thread in running { thread.join() }
  }

  /// A transaction of 200 bytes.
  private static func draft200() throws -> TransactionDraft {
    var random = SplitMix(seed: 7)
    var builder = TransactionBuilder()
    builder.add(
      .set(
        ObjectReference(entity: 1, serial: 1),
        [FieldValue(1, .data((0..<145).map { _ in UInt8(truncatingIfNeeded: random.next()) }))]))
    return try builder.finish()
  }

  /// Bytes that one such transaction takes in the file when it is alone in its frame.
  private static func frameBytes(_ draft: TransactionDraft) -> UInt64 {
    let header = FileHeader(
      store: StoreID([UInt8](repeating: 1, count: 16)),
      replica: ReplicaID([UInt8](repeating: 2, count: 16)), ordinal: 1, firstSequence: 1, salt: 1,
      previousChain: .zero, created: .zero, previousBytes: 0)
    var encoder = SegmentEncoder(header)
    encoder.append(draft, stamp: Stamp(milliseconds: 1))
    encoder.endGroup()
    return encoder.offset - UInt64(FileHeader.byteCount)
  }

  private static func check(_ path: String, _ count: Int) throws {
    let disk = PosixDisk()
    let opening = try LogOpening(disk, StorePaths(path), syncsTails: false)
    let found = opening.heads.reduce(0) { $0 + Int($1.nextSequence) - 1 }
    guard found == count, !opening.report.isDamaged else {
      throw WorkloadError("\(found) transactions instead of \(count): \(opening.report)")
    }
  }
}
