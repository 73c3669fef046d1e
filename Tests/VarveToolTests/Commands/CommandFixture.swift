// Stores in a temporary directory, and runs of the tool on them. Layer: test support.

import Foundation
import Varve
import VarveFormat
import VarveTestSupport
import VarveTool

/// What a run printed.
struct ToolRun {
  var output: String
  var errors: String
  var code: Int32

  /// The result as one JSON document.
  var json: [String: Any] {
    get throws { try ToolRun.object(output) }
  }

  /// The result as JSON lines.
  var jsonLines: [[String: Any]] {
    get throws { try output.split(separator: "\n").map { try ToolRun.object(String($0)) } }
  }

  private static func object(_ text: String) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return value as? [String: Any] ?? [:]
  }
}

/// A directory with the helpers that tests of commands need.
struct CommandFixture {
  let root: String
  private let disk = PosixDisk()

  /// Runs `body` in a directory of its own.
  static func run<Result>(_ body: (CommandFixture) throws -> Result) throws -> Result {
    try withTemporaryDirectory { try body(CommandFixture(root: $0)) }
  }

  func path(_ name: String) -> String { "\(root)/\(name)" }

  /// Runs the tool; words that start with `@` are paths in the directory.
  func tool(_ words: String..., environment: [String: String] = [:]) -> ToolRun {
    let arguments = words.map { $0.hasPrefix("@") ? path(String($0.dropFirst())) : $0 }
    return run(arguments, environment: environment)
  }

  /// Runs the tool; the directory shows as ROOT.
  func run(_ arguments: [String], environment: [String: String] = [:]) -> ToolRun {
    var variables = ["COLUMNS": "80"]
    variables.merge(environment) { $1 }
    let run = VarveTool.transcript(arguments, environment: variables)
    return ToolRun(
      output: run.output.replacingOccurrences(of: root, with: "ROOT"),
      errors: run.errors.replacingOccurrences(of: root, with: "ROOT"), code: run.code)
  }

  // MARK: files

  func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
  }

  func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path(name), withIntermediateDirectories: false)
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

  func copy(_ name: String, to target: String) throws {
    try FileManager.default.copyItem(atPath: path(name), toPath: path(target))
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// The segments of a store, oldest first, as names in the directory.
  func segments(_ store: String) throws -> [String] {
    let log = "\(store)/log"
    return try disk.list(path(log)).sorted().flatMap { replica in
      try disk.list(path("\(log)/\(replica)")).sorted().map { "\(log)/\(replica)/\($0)" }
    }
  }

  func flip(_ name: String, _ offset: Int, bit: UInt8 = 0) throws {
    var bytes = try read(name)
    bytes[offset] ^= 1 << bit
    try write(name, bytes)
  }

  /// Every file of the directory with its bytes.
  func contents(_ name: String) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    guard let walk = FileManager.default.enumerator(atPath: path(name)) else { return files }
    for case let file as String in walk {
      var isDirectory: ObjCBool = false
      let full = "\(name)/\(file)"
      _ = FileManager.default.fileExists(atPath: path(full), isDirectory: &isDirectory)
      files[file] = isDirectory.boolValue ? [] : try read(full)
    }
    return files
  }

  // MARK: stores

  static let stations = """
    code,name,founded:date,tracks
    AMS,Amsterdam,1889-10-15,15
    UTR,Utrecht,1843-12-18,16
    RTD,Rotterdam,NA,13

    """

  static let trains = """
    number,from,to,delay
    301,AMS,UTR,2.5
    302,UTR,RTD,NA

    """

  /// A closed store with three transactions in three segments.
  func makeStore(_ name: String = "store") throws {
    try write("stations.csv", CommandFixture.stations)
    try write("trains.csv", CommandFixture.trains)
    try write("more.csv", "number,from,to,delay\n303,RTD,AMS,1.5\n")
    let runs = [
      tool("import", "csv", "@stations.csv", "--into", "@\(name)", "--null", "NA"),
      tool("import", "csv", "@trains.csv", "--into", "@\(name)", "--null", "NA", "--author", "ann"),
      tool("import", "csv", "@more.csv", "--into", "@\(name)", "--entity", "trains"),
    ]
    for run in runs where run.code != 0 { throw FixtureError(message: run.errors) }
  }

  /// Runs `body` while a writer has the store open.
  func withWriter(_ name: String, _ body: () throws -> Void) throws {
    let log = try Log.open(at: path(name), disk: disk)
    try body()
    try log.close()
  }

  /// A segment file with one transaction for each draft.
  func segment(
    _ drafts: [TransactionDraft], hints: [(FrameType, [UInt8])] = [], isSealed: Bool = true
  ) -> [UInt8] {
    let stamp = Stamp(milliseconds: 1_700_000_000_000)
    let header = FileHeader(
      store: StoreID([UInt8](repeating: 1, count: 16)),
      replica: ReplicaID([UInt8](repeating: 2, count: 16)), ordinal: 1, firstSequence: 1,
      salt: 7, previousChain: .zero, created: stamp, previousBytes: 0)
    var encoder = SegmentEncoder(header)
    for (index, draft) in drafts.enumerated() {
      if index < hints.count { encoder.hint(hints[index].0, Bytes(hints[index].1)) }
      encoder.append(
        draft, stamp: Stamp(milliseconds: 1_700_000_000_000 + UInt64(index)),
        isFullVector: index == 0)
      encoder.endGroup()
    }
    if isSealed { encoder.seal() }
    return header.encoded.array + encoder.output.bytes
  }
}

/// A fixture that could not be built.
struct FixtureError: Error {
  var message: String
}
