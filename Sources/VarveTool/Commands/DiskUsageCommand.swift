// `varve du`: what a store takes on disk.

import Varve
import VarveFormat

extension CommandSpec {
  static let diskUsage = CommandSpec(
    name: "du", section: "Inspection",
    summary: "show what a store takes on disk, and what could go",
    discussion: """
      Every file of the directory is counted once. "ahead" is space that the open segment has \
      reserved for what will be written and that it gives back when it is closed. What can go is \
      what the next compaction removes anyway; history that a compaction with --keep could retire \
      is shown apart, because only its owner knows whether it is wanted.
      """,
    arguments: [ArgumentSpec("STORE", .optional, help: "a store directory")],
    examples: [ExampleSpec("varve du my.store", "bytes by kind of file")],
    exits: ExitSpec.inspection
  ) { context in
    let disk = PosixDisk()
    let target = try StoreTarget.resolve(context.command.argument("STORE"), context, disk: disk)
    let paths = try DigestReport.store(target, command: "du")
    let set = try LogSet.open(target, disk: disk)
    let usage = try DiskUsage(set, paths, disk)
    let writer = try context.resultWriter()
    if context.globals.format == .human {
      try writer.write(usage.text)
    } else {
      try writer.line(usage.json.text)
    }
    let findings = set.findings + usage.findings
    return findings.exitCode(strict: context.globals.isStrict)
  }
}

/// The files of a store by kind.
private struct DiskUsage {
  /// Kinds of bytes, in the order of the table.
  enum Kind: String, CaseIterable {
    case sealed, open, ahead, current, previous, old, control, reserve, temporary, quarantine, other

    var meaning: String {
      switch self {
      case .sealed: "log: sealed segments"
      case .open: "log: segments that are not sealed"
      case .ahead: "log: reserved ahead"
      case .current: "baseline: in use"
      case .previous: "baseline: the one before"
      case .old: "baseline: not used any more"
      case .control: "superblock and lock"
      case .reserve: "reserve for a full disk"
      case .temporary: "left by interrupted work"
      case .quarantine: "quarantine of a recovery"
      case .other: "not of the store"
      }
    }
  }

  private var files: [Kind: Int] = [:]
  private var bytes: [Kind: UInt64] = [:]
  /// Log bytes that two baselines cover.
  private var retirable: UInt64 = 0
  private let path: String
  /// What is wrong with the baselines.
  let findings: [Finding]

  init(_ set: LogSet, _ paths: StorePaths, _ disk: PosixDisk) throws {
    path = set.path
    var kinds: [String: Kind] = [:]
    for place in set.places {
      kinds[place.path] = place.isSealed ? .sealed : .open
    }
    let baselines = try BaselineCheck(set, disk: disk)
    findings = baselines.allFindings
    for entry in baselines.entries {
      kinds[entry.file.path] =
        switch entry.role {
        case .current: .current
        case .previous: .previous
        case .old, .loose: .old
        }
    }
    for file in try FileTree.files(paths.root, disk: disk) {
      guard let status = try disk.status(file) else { continue }
      add(kinds[file] ?? DiskUsage.kind(file, paths), status.length)
    }
    for place in set.places where !place.isSealed {
      let used = min(try SegmentSummary(place, disk: disk).acceptedBytes, place.length)
      bytes[.open, default: 0] -= place.length - used
      bytes[.ahead, default: 0] += place.length - used
    }
    retirable = try DiskUsage.retirable(set, baselines)
  }

  private mutating func add(_ kind: Kind, _ length: UInt64) {
    files[kind, default: 0] += 1
    bytes[kind, default: 0] += length
  }

  private static func kind(_ file: String, _ paths: StorePaths) -> Kind {
    if file == paths.superblock || file == paths.lock { return .control }
    if file.hasPrefix(paths.quarantine + "/") { return .quarantine }
    if file.hasPrefix(paths.root + "/reserve-") { return .reserve }
    return file.hasSuffix(StorePaths.temporarySuffix) ? .temporary : .other
  }

  private static func retirable(_ set: LogSet, _ baselines: BaselineCheck) throws -> UInt64 {
    let heads = baselines.entries.prefix(2).compactMap { $0.directory?.heads }
    guard heads.count == 2 else { return 0 }
    var bytes: UInt64 = 0
    for log in set.logs {
      let covered = heads.map { $0[log.replica] ?? 0 }.min() ?? 0
      for place in log.places {
        guard place.isSealed, let next = place.segment.successor,
          next.firstSequence - 1 <= covered
        else { break }
        bytes += place.length
      }
    }
    return bytes
  }

  private func sum(_ kinds: [Kind]) -> UInt64 { kinds.reduce(0) { $0 + (bytes[$1] ?? 0) } }
  private var total: UInt64 { sum(Kind.allCases) }
  private var reclaimable: UInt64 { sum([.old, .temporary]) }

  var text: String {
    var table = TablePrinter([
      .init("BYTES", .right), .init("SHARE", .right), .init("FILES", .right), .init("WHAT"),
    ])
    for kind in Kind.allCases {
      guard let size = bytes[kind], size > 0 || files[kind] ?? 0 > 0 else { continue }
      let share = total > 0 ? Double(size) * 100 / Double(total) : 0
      table.add([
        HumanText.bytes(size), HumanText.decimal(share, digits: 1) + "%",
        files[kind].map { HumanText.grouped($0) } ?? "", kind.meaning,
      ])
    }
    let count = HumanText.grouped(files.values.reduce(0, +))
    table.add([HumanText.bytes(total), "", count, "all"])
    return table.render()
      + "can go: \(HumanText.bytes(reclaimable)), with the next compaction\n"
      + "history that two baselines cover: \(HumanText.bytes(retirable)) "
      + "(varve compact --keep retires it)\n"
  }

  var json: JSONValue {
    let kinds = Kind.allCases.map { kind in
      JSONValue.object([
        ("kind", .string(kind.rawValue)), ("files", .integer(Int64(files[kind] ?? 0))),
        ("bytes", .unsigned(bytes[kind] ?? 0)),
      ])
    }
    return .object([
      ("schema", "varve.du/1"), ("path", .string(path)), ("bytes", .unsigned(total)),
      ("kinds", .array(kinds)), ("reclaimable", .unsigned(reclaimable)),
      ("retirable", .unsigned(retirable)),
    ])
  }
}
