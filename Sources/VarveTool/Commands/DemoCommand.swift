// `varve demo`: the engine in one minute, on real data.

import Varve
import VarveFormat
import VarveImport

extension CommandSpec {
  static let demo = CommandSpec(
    name: "demo", section: "Help", summary: "show in one minute what Varve does",
    discussion: """
      Imports a cut of the flights out of New York in 2013 into a temporary store, shows the log, \
      opens it again, rebuilds the state from the log alone, then flips one bit in a copy and \
      finds it. Everything is removed at the end unless --keep says where to leave it.
      """,
    options: [
      OptionSpec("keep", .text("DIR"), help: "work in the new directory DIR and leave it"),
      OptionSpec(
        "data", .text("DIR"), help: "import all .csv and .csv.gz files of DIR instead (NA is nil)"),
    ],
    examples: [
      ExampleSpec("varve demo", "about 7,000 rows, removed at the end"),
      ExampleSpec("varve demo --keep playground", "leave a store to play with"),
    ],
    exits: [
      ExitSpec(.done), ExitSpec(.negativeAnswer, "something was not as it should be"),
      ExitSpec(.operationalFailure),
    ]
  ) { context in
    let disk = PosixDisk()
    let keep = context.options.value("keep")
    let root: String
    if let keep {
      guard try disk.status(keep) == nil else {
        throw DiskError(
          .exists, "something is there already; name a new directory", path: keep, call: "mkdir")
      }
      try disk.makeDirectory(keep)
      root = keep
    } else {
      root = try FileTree.makeTemporary(
        in: SystemText.environment(["TMPDIR"])["TMPDIR"] ?? "/tmp", disk: disk)
    }
    defer { if keep == nil { try? FileTree.remove(root, disk: disk) } }
    let isJSON = context.globals.format != .human
    let demo = DemoRun(
      context: context, disk: disk, root: root, data: context.options.value("data"),
      isKept: keep != nil, writer: isJSON ? OutputWriter.memory() : context.output)
    let code = try demo.run()
    if isJSON { try context.resultWriter().line(JSONValue.object(demo.members).text) }
    return code
  }
}

/// The steps of the demonstration.
private final class DemoRun {
  let context: CommandContext
  let disk: PosixDisk
  let root: String
  let data: String?
  let isKept: Bool
  /// Where the story for people goes.
  let writer: OutputWriter
  /// What happened, for scripts.
  private(set) var members: [(String, JSONValue)] = [("schema", "varve.demo/1")]

  init(
    context: CommandContext, disk: PosixDisk, root: String, data: String?, isKept: Bool,
    writer: OutputWriter
  ) {
    self.context = context
    self.disk = disk
    self.root = root
    self.data = data
    self.isKept = isKept
    self.writer = writer
    members.append(("directory", .string(root)))
    members.append(("kept", .bool(isKept)))
  }

  private var store: String { "\(root)/flights.varve" }
  private var damaged: String { "\(root)/damaged.varve" }
  private var style: TextStyle { TextStyle(isEnabled: context.usesColor) }

  func run() throws -> ExitCode {
    try importAll()
    try showLog()
    let isEqual = try rebuild()
    let isFound = try damage()
    try last()
    return isEqual && isFound ? .done : .negativeAnswer
  }

  private func title(_ text: String) throws {
    try writer.line()
    try writer.line(style.bold(text))
    try writer.flush()
  }

  private func say(_ text: String) throws {
    var layout = TextLayout(width: 80)
    layout.wrapped(text, indent: 0, hanging: 0)
    try writer.write(layout.text)
  }

  // MARK: steps

  private func sources() throws -> [ImportSource] {
    guard let data else { return DemoData.sources }
    let names = try disk.list(data).sorted().filter {
      $0.hasSuffix(".csv") || $0.hasSuffix(".csv.gz")
    }
    guard !names.isEmpty else {
      throw ImportError(.empty, "no .csv or .csv.gz file is in this directory", path: data)
    }
    return names.map { .file("\(data)/\($0)") }
  }

  private func importAll() throws {
    let what = data.map { "The files of \($0)" } ?? "Flights out of New York in 2013"
    try say("\(what) become a store in \(store).")
    try title("1. Import: rows become columns, columns become transactions in a log")
    let clock = ContinuousClock()
    let start = clock.now
    let target = try ImportTarget(store, disk: disk)
    let importer = StoreImporter(
      target: target, knowledge: StoreKnowledge(), settings: StoreImporter.Settings(),
      report: ImportReport(store: store, isDryRun: false))
    var options = DelimitedOptions()
    options.nilMarkers = ["NA"]
    do {
      for source in try sources() { try importer.read(source, name: nil, options: options) }
      try target.close()
    } catch {
      target.giveUp()
      throw error
    }
    let report = importer.finish(elapsed: clock.now - start, stopped: nil)
    members.append(("import", report.json))
    try writer.write(report.text)
  }

  private func showLog() throws {
    try title("2. The log is the truth: every transaction is there, in order, for ever")
    let set = try LogSet.open(.store(StorePaths(store)), disk: disk)
    let walk = LogWalk(set, disk: disk)
    while let event = try walk.next() {
      guard case .transaction(let logged) = event else { continue }
      let facts = try TransactionFacts(logged)
      try writer.line(LogPrinter.oneline(logged, facts, style))
    }
  }

  private func rebuild() throws -> Bool {
    try title("3. Open it again, then rebuild it from the segment files alone")
    let paths = StorePaths(store)
    let opened = try OpenedState(disk, paths)
    let rebuilt = try DigestReport(disk, paths, LogCatalog(disk, paths, superblock: nil))
    let rows = HumanText.grouped(opened.rows)
    try writer.line("opened   \(rows) rows in \(HumanText.duration(opened.elapsed))")
    try writer.line("digest   \(opened.digest.total.content)")
    try writer.line("rebuilt  \(rebuilt.digest.total.content)")
    let isEqual = opened.digest == rebuilt.digest
    members += [
      ("opened", .string("\(opened.digest.total.content)")),
      ("rebuilt", .string("\(rebuilt.digest.total.content)")), ("equal", .bool(isEqual)),
    ]
    try say(
      isEqual
        ? "Equal: the state is a function of the log, and nothing else has to be kept."
        : "DIFFERENT: this must not happen; please report it.")
    return isEqual
  }

  /// Flips a bit in the middle of the largest transaction of a copy.
  private func damage() throws -> Bool {
    try title("4. Flip one bit in a copy, and look for it")
    try FileTree.copy(store, to: damaged, disk: disk)
    let set = try LogSet.open(.store(StorePaths(damaged)), disk: disk)
    guard let place = set.places.max(by: { $0.length < $1.length }) else { return false }
    let offset = place.length / 2
    let bit = UInt8(1 << 3)
    let file = try disk.open(place.path, .readWrite)
    let source = try FileSource(disk, place.path)
    let before = try source.read(offset, 1).array[0]
    source.close()
    try [before ^ bit].withUnsafeBytes { try file.write([$0], at: offset) }
    try file.close()
    let name = place.path.lastPathComponent
    try writer.line("flipped  bit 3 of byte \(offset) of \(name)")
    let report = try Verifier(set: set, disk: disk, level: .normal).run()
    for finding in report.findings where finding.severity > .note {
      let place = finding.offset.map { "\(finding.file.lastPathComponent)@\($0)" } ?? finding.file
      try writer.line("found    \(finding.code) in \(place): \(finding.detail)")
    }
    try writer.line("readable \(report.transactions) transactions besides the damaged one")
    let isFound = report.findings.contains { $0.severity == .corruption }
    members += [
      (
        "flipped",
        .object([("file", .string(place.path)), ("offset", .unsigned(offset)), ("bit", 3)])
      ),
      ("found", .bool(isFound)), ("readable", .unsigned(report.transactions)),
      ("findings", .array(report.findings.map(\.json))),
    ]
    try say(
      isFound
        ? "One bit in \(HumanText.bytes(place.length)) was found, and what it hit is named; the "
          + "other transactions can still be read and recovered."
        : "NOT FOUND: this must not happen; please report it.")
    return isFound
  }

  private func last() throws {
    try title("Try next")
    let root = isKept ? self.root : "playground"
    let first = isKept ? [] : ["varve demo --keep playground"]
    let lines =
      first + [
        "varve info \(root)/flights.varve",
        "varve log --stat \(root)/flights.varve",
        "varve show HEAD \(root)/flights.varve",
        "varve verify \(root)/damaged.varve",
        "varve recover \(root)/damaged.varve -o \(root)/rescued.varve",
        "varve import csv YOUR.csv --into \(root)/yours.varve",
      ]
    for line in lines { try writer.line("  \(line)") }
    if !isKept { try say("The temporary directory is removed now.") }
  }
}

/// The data that the command carries.
enum DemoData {
  /// A cut of nycflights13 (CC0), about 3,000 flights with all that they refer to.
  static var sources: [ImportSource] {
    [
      .bytes(PackageResources.airlines_csv_gz, name: "airlines.csv.gz"),
      .bytes(PackageResources.airports_csv_gz, name: "airports.csv.gz"),
      .bytes(PackageResources.planes_csv_gz, name: "planes.csv.gz"),
      .bytes(PackageResources.weather_csv_gz, name: "weather.csv.gz"),
      .bytes(PackageResources.flights_csv_gz, name: "flights.csv.gz"),
    ]
  }
}
