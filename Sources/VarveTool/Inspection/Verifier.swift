// Verifies a store or a file at one of three levels (Q57).

import Varve
import VarveFormat

/// What a verification found and read.
struct VerifyReport {
  var level: VerifyLevel
  var findings: [Finding]
  var segments = 0
  var baselines = 0
  var transactions: UInt64 = 0
  var bytes: UInt64 = 0
  var rawBytes: UInt64 = 0
  var elapsed = Duration.zero
  var digest: DigestReport?

  /// `clean`, or the worst severity.
  var verdict: String {
    let worst = findings.map(\.severity).max() ?? .note
    return worst > .note ? worst.name : "clean"
  }

  var seconds: Double {
    Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
  }
}

/// Runs the checks.
struct Verifier {
  let set: LogSet
  let disk: PosixDisk
  let level: VerifyLevel
  var threads: Int?

  func run() throws -> VerifyReport {
    let clock = ContinuousClock()
    let start = clock.now
    var report = VerifyReport(level: level, findings: set.findings)
    report.segments = set.places.count
    if level == .quick {
      for place in set.places { try quick(place, &report) }
    } else {
      try normal(&report)
    }
    var baselines = try BaselineCheck(set, disk: disk)
    if level != .quick { report.bytes += baselines.verify() }
    report.baselines = baselines.entries.count
    report.findings += baselines.allFindings
    if level == .full, set.isStore {
      let paths = StorePaths(set.path)
      let catalog = try LogCatalog.settled(disk, paths, superblock: set.superblock)
      let digest = try DigestReport(disk, paths, catalog)
      // The walk said the rest already.
      if report.findings.allSatisfy({ $0.severity < .gap }) {
        report.findings = digest.findings(report.findings)
      }
      let isWhole = report.findings.allSatisfy { $0.severity < .gap }
      if isWhole, let finding = try baselines.compare(set, with: digest) {
        report.findings.append(finding)
      }
      report.digest = digest
    }
    report.elapsed = clock.now - start
    return report
  }

  private func quick(_ place: SegmentPlace, _ report: inout VerifyReport) throws {
    let summary = try SegmentSummary(place, disk: disk)
    report.transactions += summary.transactions
    report.bytes += summary.isSealed ? UInt64(FileHeader.byteCount) : summary.acceptedBytes
    let name = place.segment.file.name
    if case .sealed(let first, let last, _) = name {
      if !place.isSealed {
        report.findings.append(
          Finding(
            "badTrailer", .corruption, file: place.path, offset: place.length,
            "a sealed segment does not end with a trailer", fix: Finding.recoverFix))
      } else if first != summary.firstSequence || last != summary.lastSequence {
        report.findings.append(
          Finding(
            "wrongFile", .corruption, file: place.path, offset: place.trailer?.sealOffset,
            "the name says sequences \(first) to \(last), the SEAL \(summary.firstSequence) to "
              + "\(summary.lastSequence)", fix: Finding.recoverFix))
      }
    }
    guard !place.isSealed else { return }
    if case .sealed? = name { return }
    if let finding = summary.verdict?.finding(place.path) { report.findings.append(finding) }
  }

  private func normal(_ report: inout VerifyReport) throws {
    let checks = try LogVerifier.verify(
      disk, set.places.map(\.segment), level: level, isSerial: threads == 1)
    for check in checks {
      report.findings += check.findings
      report.transactions += check.transactions
      report.bytes += check.bytes
      report.rawBytes += check.rawBytes
    }
    report.findings += try SealedNames.findings(set.places, disk: disk, known: report.findings)
  }
}
