// Verification of 256 MiB of log at level normal, as `varve verify` does it (Q57).

import Varve
import VarveFormat

extension Workload {
  static let verifyNormal = Workload(
    name: "verify.normal", group: "maintain",
    title: "every frame hash, chain value and part hash of 256 MiB of log, warm cache"
  ) { scale in
    let bytes = scale.isTiny ? 1 << 20 : 256 << 20
    return try columnar(scale, bytes) + small(scale, bytes)
  }

  /// A log of columnar transactions.
  private static func columnar(_ scale: Scale, _ bytes: Int) throws -> [Measurement] {
    let tables = try FlightsData.tables(scale)
    guard let table = tables.last else { return [] }
    return try withStoreDirectory(scale) { path in
      let log = try Log.create(at: path, disk: PosixDisk())
      let draft = try FlightsData.draft(table)
      while log.statistics.bytes < UInt64(bytes) {
        _ = try log.commit(draft, durability: .relaxed)
      }
      try log.close()
      return try verify(scale, path, name: "verify.normal columns")
    }
  }

  /// A log of transactions of a few hundred bytes, each in a frame of its own.
  private static func small(_ scale: Scale, _ bytes: Int) throws -> [Measurement] {
    try withStoreDirectory(scale) { path in
      let log = try Log.create(at: path, disk: PosixDisk())
      var random = SplitMix(seed: 3)
      while log.statistics.bytes < UInt64(bytes) {
        var builder = TransactionBuilder()
        builder.add(
          .set(
            ObjectReference(entity: 1, serial: 1),
            [FieldValue(1, .data((0..<150).map { _ in UInt8(truncatingIfNeeded: random.next()) }))])
        )
        _ = try log.commit(try builder.finish(), durability: .relaxed)
      }
      try log.close()
      return try verify(scale, path, name: "verify.normal small")
    }
  }

  private static func verify(_ scale: Scale, _ path: String, name: String) throws -> [Measurement] {
    let disk = PosixDisk()
    let segments = try Workload.segments(disk, path)
    let total = Double(segments.reduce(0) { $0 + $1.file.length })
    var rates: [Double] = []
    var limits: [Double] = []
    for _ in 0...scale.samples {
      var checks: [SegmentCheck] = []
      // The listing is part of what the command does.
      let elapsed = try measure {
        checks = try LogVerifier.verify(disk, Workload.segments(disk, path))
      }
      guard checks.allSatisfy({ $0.isClean && $0.verdict.verdict == .sealed }) else {
        throw WorkloadError("a segment is damaged or not sealed")
      }
      rates.append(total / elapsed.seconds)
      limits.append(total / (try readAndHash(disk, segments)))
    }
    return [
      Measurement(
        workload: name, metric: "log", unit: "bytes/s", samples: warm(rates),
        limitName: "read + XXH3, one core", limit: warm(limits),
        floor: scale.isTiny ? nil : .atLeast(1e9), check: "\(segments.count) segments sealed")
    ]
  }

  /// The segments of a store as the command finds them.
  private static func segments(_ disk: PosixDisk, _ path: String) throws -> [CatalogSegment] {
    let opening = try LogOpening(disk, StorePaths(path), syncsTails: false, readsTails: false)
    return opening.catalog.logs.flatMap(\.segments)
  }

  /// Seconds to read all files and hash them once.
  private static func readAndHash(_ disk: PosixDisk, _ segments: [CatalogSegment]) throws -> Double
  {
    var sum: UInt64 = 0
    let elapsed = try measure {
      for segment in segments {
        let source = try FileSource(disk, segment.file.path)
        defer { source.close() }
        var offset: UInt64 = 0
        while offset < source.length {
          let bytes = try source.read(offset, 8 << 20)
          sum &+= Checksum.hash64(seed: 0, bytes)
          offset += UInt64(bytes.count)
        }
      }
    }
    guard sum != 0 else { throw WorkloadError("nothing was hashed") }
    return elapsed.seconds
  }
}
