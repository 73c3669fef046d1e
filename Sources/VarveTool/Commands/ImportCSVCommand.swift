// `varve import csv`: delimited text into a store.

import Varve
import VarveFormat
import VarveImport

extension CommandSpec {
  static let importCSV = CommandSpec(
    name: "import csv", section: "Data", summary: "import delimited text into a store",
    discussion: """
      Every SOURCE becomes rows of an entity named after the file (flights for \
      data/flights.csv.gz) or given with --entity. Gzip is recognised by its first bytes; - reads \
      standard input. Columns are typed by --type, by the header (delay:integer), or by looking \
      at all values; entities and attributes that the store does not know are declared in the \
      same transaction.

      By default all rows of a source are one transaction: all or nothing. With --batch N each N \
      rows are one, and what was committed stays when a later row ends the import. (A source of \
      very many rows, about 16,000 column blocks, needs several transactions in any case.)

      A row whose cells do not fit is rejected as a whole, counted, and written to the file of \
      --rejects, which is made for the first one and must not exist before; it stays when the \
      import fails. The first reasons and the summary go to standard error, with --json a report \
      to standard output.

      An import that commits nothing leaves no store behind, and declares nothing. A dry run \
      writes no file at all, not even that of --rejects.

      A store of which transactions may be missing is not written to, because that would hide \
      what is missing: recover it first, or say --into-damaged.
      """,
    options: ImportOptions.specs,
    arguments: [ArgumentSpec("SOURCE", .atLeastOne, help: "files, plain or gzip; - for stdin")],
    examples: [
      ExampleSpec(
        "varve import csv flights.csv.gz planes.csv.gz --into my.store --null NA",
        "two entities, NA means no value"),
      ExampleSpec(
        "varve import csv - --entity log --into my.store --header no --columns when:date,what",
        "standard input without a header"),
      ExampleSpec(
        "varve import csv big.csv --into my.store --batch 100000 --rejects bad.jsonl",
        "transactions of 100,000 rows, bad rows into a file"),
    ],
    exits: [
      ExitSpec(.done), ExitSpec(.operationalFailure, "a source or the store cannot be used"),
      ExitSpec(.corruption, "the store is damaged and --into-damaged was not given"),
      ExitSpec(.incomplete, "segments are missing and --into-damaged was not given"),
      ExitSpec(.busy, "another program writes to the store"),
      ExitSpec(
        .partialSuccess, "rows were rejected, or something failed after a part was committed"),
    ]
  ) { context in
    try ImportRun(context).run()
  }
}

/// One run of `varve import csv`.
private struct ImportRun {
  let context: CommandContext
  let store: String
  let sources: [ImportSource]
  let dialect: DelimitedOptions
  let isDryRun: Bool
  let disk = PosixDisk()

  init(_ context: CommandContext) throws {
    self.context = context
    let options = context.options
    guard let store = options.value("into") ?? context.globals.store else {
      throw UsageError(
        .missingArgument, "into which store? Name it with --into",
        hint: "It is created when nothing is there.")
    }
    self.store = store
    sources = context.command.list("SOURCE").map { ImportSource.file($0) }
    guard sources.count == 1 || options.value("entity") == nil else {
      throw UsageError(
        .conflictingOptions, "--entity names one entity and there are \(sources.count) sources",
        hint: "Import the sources one by one.")
    }
    dialect = try ImportOptions.dialect(options)
    isDryRun = options.flag("dry-run")
    try ImportOptions.checkMetadata(options)
  }

  func run() throws -> ExitCode {
    let clock = ContinuousClock()
    let start = clock.now
    // What cannot be read or written is noticed before a store is created.
    for source in sources { _ = try source.check() }
    try checkOutputs()
    let target = isDryRun ? nil : try ImportTarget(store, disk: disk)
    let report: ImportReport
    do {
      let importer = try makeImporter(target)
      // What is committed stays, and an error behind it must tell.
      importer.onCommit = { context.lasting = ImportRun.lasting($0, isWhole: false) }
      var stopped: String?
      do { try read(importer) } catch let error as TooManyRejects { stopped = error.message }
      try target?.close()
      report = importer.finish(elapsed: clock.now - start, stopped: stopped)
    } catch {
      target?.giveUp()
      throw error
    }
    if report.transactions > 0 {
      context.lasting = ImportRun.lasting(report, isWhole: report.stopped == nil)
    }
    return try finish(report)
  }

  /// What stays of an import when the rest of the run fails.
  private static func lasting(_ report: ImportReport, isWhole: Bool) -> LastingWork {
    let sequences = report.tables.flatMap(\.sequences)
    var range = "\(sequences.first ?? 0)"
    if sequences.count > 1 { range += " to \(sequences.last ?? 0)" }
    let what =
      isWhole
      ? "the import is committed (transactions \(range)); do not repeat it"
      : "a part of the import is committed (transactions \(range)) and stays"
    return LastingWork(text: what, code: report.exitCode)
  }

  /// Files that the import writes beside the store must be new.
  private func checkOutputs() throws {
    let rejects = context.options.value("rejects")
    let output = context.globals.output.flatMap { $0 == "-" ? nil : $0 }
    if let rejects, rejects == output {
      throw UsageError(
        .conflictingOptions, "--rejects and --output name the same file",
        hint: "Rejected rows and the report need a file each.")
    }
    for path in [rejects, output].compactMap({ $0 }) {
      if try disk.status(path) != nil {
        throw OutputError(.exists, "the file exists already; name a new one", path: path)
      }
      let directory = StorePaths.parent(path)
      guard try disk.status(directory)?.isDirectory == true else {
        throw OutputError(.failed, "cannot create it: there is no such directory", path: path)
      }
    }
  }

  private func read(_ importer: StoreImporter) throws {
    let rejects = RejectsFile(isDryRun ? nil : context.options.value("rejects"))
    importer.onReject = { problem, source in
      try rejects.line(ImportRun.json(problem, source).text)
    }
    let progress = context.progress()
    importer.onProgress = { progress.update(label: "import", done: $0, total: nil, unit: "rows") }
    defer { progress.clear() }
    do {
      for source in sources {
        try importer.read(source, name: context.options.value("entity"), options: dialect)
      }
      try rejects.close()
    } catch {
      try rejects.close()
      throw error
    }
  }

  private func makeImporter(_ target: ImportTarget?) throws -> StoreImporter {
    var settings = StoreImporter.Settings()
    settings.label = context.options.value("label")
    settings.author = context.options.value("author")
    settings.batchRows = context.options.integer("batch")
    settings.maxErrors = context.options.integer("max-errors") ?? 100
    var knowledge = StoreKnowledge()
    var listed: [Finding] = []
    if try ImportTarget.isStore(store, disk: disk) {
      let set = try LogSet.open(.store(StorePaths(store)), disk: disk)
      knowledge = try StoreKnowledge(set, disk: disk)
      listed = try ImportRun.losses(set, disk)
    }
    let findings = target?.log?.report.findings ?? []
    let isDamaged = findings.contains { $0.kind == .corrupt || $0.kind == .suspectTail }
    let hasGap = listed.contains { $0.severity == .gap }
    let isLost = listed.contains { $0.severity == .corruption }
    try refuseDamage(isDamaged || isLost || knowledge.hasDamage ? .corrupt : hasGap ? .gap : nil)
    var report = ImportReport(store: store, isDryRun: isDryRun)
    report.rejects = isDryRun ? nil : context.options.value("rejects")
    return StoreImporter(
      target: target, knowledge: knowledge, settings: settings, report: report)
  }

  /// What is missing, also of the state of history that was retired.
  private static func losses(_ set: LogSet, _ disk: PosixDisk) throws -> [Finding] {
    guard set.findings.contains(where: { $0.code == "historyRetired" }) else {
      return set.findings
    }
    var check = try BaselineCheck(set, disk: disk)
    _ = check.verify()
    return set.findings + check.allFindings
  }

  /// Writing would hide what is missing: the superblock then names the new state only.
  private func refuseDamage(_ kind: RecoveryFinding.Kind?) throws {
    guard let kind else { return }
    guard isDryRun || context.options.flag("into-damaged") else {
      throw RefusedStore(kind: kind, path: store)
    }
    try context.note("the store is damaged; try \"varve verify \(store)\"")
  }

  private func finish(_ report: ImportReport) throws -> ExitCode {
    for warning in report.warnings { try context.note(warning) }
    if let stopped = report.stopped { try context.errors.line("varve: \(stopped)") }
    if !context.globals.isQuiet { try context.errors.write(report.text) }
    if context.globals.format != .human {
      try context.resultWriter().line(report.json.text)
    }
    return report.exitCode
  }

  /// A rejected row as it goes to the file.
  private static func json(_ problem: RowProblem, _ source: String) -> JSONValue {
    .object(
      [("schema", "varve.reject/1")] + problem.members(source)
        + [("raw", .string(String(decoding: problem.raw, as: UTF8.self)))])
  }
}

/// A store that is not written to because transactions may be missing.
struct RefusedStore: Error, CustomStringConvertible {
  /// `gap`, or `corrupt`.
  var kind: RecoveryFinding.Kind
  var path: String

  /// What to do, as the end of the sentence.
  var remedy = "recover it first, or import with --into-damaged"

  var message: String { "transactions of the store may be missing; \(remedy)" }
  var description: String { "\(path): \(kind.rawValue): \(message)" }
  var exitCode: ExitCode { kind == .gap ? .incomplete : .corruption }
}

/// The file of `--rejects`, which is made when the first row is rejected.
private final class RejectsFile {
  private let path: String?
  private var writer: OutputWriter?

  init(_ path: String?) { self.path = path }

  func line(_ text: String) throws(OutputError) {
    guard let path else { return }
    if writer == nil { writer = try OutputWriter(creating: path) }
    try writer?.line(text)
  }

  func close() throws(OutputError) { try writer?.close() }
}

extension ImportSource {
  /// Opens the source for a moment, unless it can be read once only.
  fileprivate func check() throws -> Bool {
    guard case .file(let path) = self, path != "-" else { return true }
    let status = try PosixDisk().status(path)
    if let status, status.isDirectory {
      throw ImportError(.unreadable, "this is a directory; name its files", path: path)
    }
    if status == nil {
      throw ImportError(.unreadable, "open: no such file", path: path)
    }
    return true
  }
}
