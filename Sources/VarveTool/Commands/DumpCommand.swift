// `varve dump FILE`: every record of a file. What it prints is specified in Formats/Dump.md.

import Varve
import VarveFormat

extension CommandSpec {
  static let dump = CommandSpec(
    name: "dump", section: "Files", summary: "print everything that is in a file, record by record",
    discussion: """
      FILE is a segment, a baseline or a superblock, or - for standard input. No store is opened \
      and nothing is locked or written. Damage is reported as records of its own, and the walk \
      goes on behind it.

      With --json the records are the list of one document, with --jsonl a line each.
      """,
    options: [
      OptionSpec("values", help: "print every value of every column block"),
      OptionSpec("headers-only", help: "print frames without what is in them"),
      OptionSpec(
        "from-offset", .integer("N", 0...Int.max), help: "start with the frame at byte N"),
      OptionSpec("max-frames", .integer("N", 1...Int.max), help: "stop after N frames"),
    ],
    arguments: [ArgumentSpec("FILE", help: "the file")],
    examples: [
      ExampleSpec("varve dump tiny.vlog", "print the records of a segment"),
      ExampleSpec("varve dump --values --jsonl tiny.vlog", "all of them, as JSON lines"),
      ExampleSpec("varve dump super", "print the superblock of a store"),
    ],
    exits: [
      ExitSpec(.done, "nothing is wrong with the file"),
      ExitSpec(.operationalFailure, "the file cannot be read, or is no Varve file"),
      ExitSpec(.corruption, "an error was printed"),
      ExitSpec(.recoverableBlemish, "the tail is torn"),
      ExitSpec(.unknownFormat),
    ]
  ) { context in
    let options = context.options
    var dumpOptions = DumpOptions()
    dumpOptions.values = options.flag("values")
    dumpOptions.headersOnly = options.flag("headers-only")
    dumpOptions.fromOffset = options.integer("from-offset").map { UInt64($0) }
    dumpOptions.framesMax = options.integer("max-frames")
    let path = context.command.argument("FILE") ?? "-"
    dumpOptions.limit = try FileArgument.settledEnd(path)
    let source = try FileArgument.source(path)
    let printer = RecordPrinter(context.globals.format, to: try context.resultWriter())
    do {
      let summary = try FileDump.run(source, options: dumpOptions) { try printer.print($0) }
      try printer.finish()
      return exitCode(summary, isStrict: context.globals.isStrict)
    } catch let error as FormatError where error.code != .notVarve {
      // The records before the failure are worth having.
      try printer.finish()
      throw error
    }
  }

  private static func exitCode(_ summary: DumpSummary, isStrict: Bool) -> ExitCode {
    if summary.verdict == .torn { return .recoverableBlemish }
    if summary.damages > 0 { return .corruption }
    if isStrict, summary.unknowns > 0 || summary.skipped > 0 { return .unknownFormat }
    return summary.unknowns > 0 ? .corruption : .done
  }
}

/// The argument FILE of commands that look into single files.
enum FileArgument {
  /// The bytes of a file, or of standard input for `-`.
  static func source(_ path: String) throws -> any ByteSource {
    path == "-" ? try StandardInput.spooled() : try FileSource(PosixDisk(), path)
  }

  /// Where an open segment is complete that a writer may be appending to; nil for other files.
  static func settledEnd(_ path: String) throws -> UInt64? {
    guard case .open = SegmentName(path.lastPathComponent) else { return nil }
    let source = try FileSource(PosixDisk(), path)
    defer { source.close() }
    guard var segment = (try? SegmentPlace(source, path: path))?.segment else { return nil }
    try LiveTail(disk: PosixDisk(), file: path).settle(&segment)
    return segment.settledEnd
  }
}
