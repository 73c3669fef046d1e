// The segments that an inspection reads, in order, with what their neighbours say. Reads only.

import Varve
import VarveFormat

/// One segment file in its place.
struct SegmentPlace: Sendable {
  var segment: CatalogSegment
  /// The header as it lies in the file is damaged and was put together from what is known.
  var hasRepairedHeader = false

  init(_ segment: CatalogSegment) { self.segment = segment }

  var path: String { segment.file.path }
  var header: FileHeader { segment.file.header }
  var length: UInt64 { segment.file.length }
  var isNewest: Bool { segment.isNewest }
  var isSealed: Bool { segment.isSealed }
  /// The trailer, when the file counts as sealed.
  var trailer: Trailer? { isSealed ? segment.file.trailer : nil }
  /// Whether its name promises a SEAL and a trailer.
  var hasSealedName: Bool {
    if case .sealed = segment.file.name { true } else { false }
  }
}

/// All segments of one replica that are here.
struct ReplicaLog: Sendable {
  var replica: ReplicaID
  var places: [SegmentPlace]
}

/// The segments of a store, or one loose file.
struct LogSet: Sendable {
  /// The path that was given.
  var path: String
  /// Whether this is a store directory.
  var isStore: Bool
  var store: StoreID
  var superblock: Superblock?
  var logs: [ReplicaLog]
  /// What the listing found, without reading frames.
  var findings: [Finding]

  /// All segments.
  var places: [SegmentPlace] { logs.flatMap(\.places) }

  /// Lists the segments of a target.
  ///
  /// - Throws: `LogError`: `notAStore`, `disk`, `tooNew`.
  static func open(_ target: StoreTarget, disk: any Disk) throws -> LogSet {
    switch target {
    case .store(let paths): try open(paths, disk)
    case .file(let path): try open(file: path, disk)
    }
  }

  private static func open(_ paths: StorePaths, _ disk: any Disk) throws -> LogSet {
    var opening = try LogOpening(disk, paths, syncsTails: false, readsTails: false)
    try opening.catalog.settle(disk, paths)
    guard let store = opening.store else {
      guard opening.hasSuperblockFile || !opening.catalog.report.findings.isEmpty else {
        throw LogError(
          .notAStore, "the directory has neither a superblock nor segments", path: paths.root)
      }
      throw LogError(
        .corrupt, "neither the superblock nor a segment can be read", path: paths.root)
    }
    var listed: [RecoveryFinding.Kind] = [.copied, .unclean]
    if opening.hasSuperblockFile { listed.append(.superblock) }
    var set = LogSet(
      path: paths.root, isStore: true, store: store, superblock: opening.superblock, logs: [],
      findings: (opening.catalog.report.findings
        + opening.report.findings.filter { listed.contains($0.kind) }).map { Finding($0) })
    if !opening.hasSuperblockFile {
      set.findings.append(
        Finding(
          "superblock", .blemish, file: paths.superblock, "the superblock is missing",
          fix: "nothing to do: the next write makes a new one"))
    }
    try set.checkSuperblockLength(paths, disk)
    for log in opening.catalog.logs {
      set.logs.append(
        ReplicaLog(replica: log.replica, places: log.segments.map { SegmentPlace($0) }))
      try set.noteMissingStart(log, paths, disk)
    }
    return set
  }

  /// Both slots and nothing else.
  private mutating func checkSuperblockLength(_ paths: StorePaths, _ disk: any Disk) throws {
    guard let status = try disk.status(paths.superblock), !status.isDirectory,
      status.length != UInt64(Superblock.fileBytes),
      !findings.contains(where: { $0.file == paths.superblock && $0.severity == .blemish })
    else { return }
    findings.append(
      Finding(
        "superblock", .blemish, file: paths.superblock, offset: status.length,
        "the superblock has \(status.length) bytes and should have \(Superblock.fileBytes)",
        fix: "nothing to do: its valid slot is used"))
  }

  /// A log starts with sequence 1, unless a baseline stands for what was retired (Q25).
  private mutating func noteMissingStart(
    _ log: CatalogLog, _ paths: StorePaths, _ disk: any Disk
  ) throws {
    guard let first = log.segments.first?.file, first.header.firstSequence > 1 else { return }
    let last = first.header.firstSequence - 1
    // The listing, which reads no baseline, may have said so too.
    findings.removeAll { $0.code == "gap" && $0.file == first.path && $0.sequence == 1 }
    let files = BaselineFiles(disk: disk, paths: paths)
    let reach = try files.list().map { files.reach($0, store: store)[log.replica] ?? 0 }.max()
    guard reach ?? 0 < last else {
      findings.append(
        Finding(
          "historyRetired", .note, file: first.path, sequence: 1,
          "sequences 1 to \(last) of replica \(log.replica) were retired; a baseline holds their "
            + "state"))
      return
    }
    findings.append(
      Finding(
        "gap", .gap, file: first.path, offset: 64, sequence: 1,
        "sequences 1 to \(last) of replica \(log.replica) are missing",
        fix: "bring the missing files back from a copy of the store"))
  }

  private static func open(file path: String, _ disk: any Disk) throws -> LogSet {
    let source = try FileSource(disk, path)
    defer { source.close() }
    var place = try SegmentPlace(source, path: path)
    guard place.header.kind == .segment || place.header.kind == .localLog else {
      throw FormatError(
        .wrongFile, "this is a \(place.header.kind.name) file, not a segment", offset: 20,
        path: path)
    }
    try LiveTail(disk: disk, file: path).settle(&place.segment)
    return LogSet(
      path: path, isStore: false, store: place.header.store, superblock: nil,
      logs: [ReplicaLog(replica: place.header.replica, places: [place])], findings: [])
  }
}

extension SegmentPlace {
  /// A file by itself.
  init(_ source: any ByteSource, path: String) throws(FormatError) {
    let header: FileHeader
    do throws(FormatError) {
      let bytes = try source.read(0, FileHeader.byteCount)
      guard bytes.array.starts(with: FileHeader.magic) else {
        throw FormatError(.notVarve, "the file does not start as a Varve file does", offset: 0)
      }
      header = try FileHeader(bytes)
    } catch { throw error.at(path: path) }
    try self.init(source, header, path)
  }

  /// A file by itself with a header that is known.
  init(_ source: any ByteSource, _ header: FileHeader, _ path: String) throws(FormatError) {
    self.init(
      CatalogSegment(
        file: SegmentFile(
          path: path, name: SegmentName(path.lastPathComponent), header: header,
          length: source.length, trailer: try SegmentFile.trailer(source, header))))
  }
}
