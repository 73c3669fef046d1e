// `varve frame FILE@OFFSET`: the bytes of a frame beside what they say.

import Varve
import VarveFormat

extension CommandSpec {
  static let frame = CommandSpec(
    name: "frame", section: "Files", summary: "print the bytes of a frame beside what they say",
    discussion: """
      The frame is the one that starts at OFFSET or holds the byte there, so that the place in an \
      error message can be given as it is. Offsets of decompressed payloads have a + in front and \
      count from the start of the payload.
      """,
    options: [
      OptionSpec("all", help: "print the whole file"),
      OptionSpec("raw", help: "write the bytes of the frame as they are in the file"),
      OptionSpec("payload", help: "write the payload, decompressed"),
      OptionSpec(
        "width", .choice("N", ["16", "32"]), help: "bytes a line: 16 (the default) or 32"),
    ],
    arguments: [ArgumentSpec("FILE@OFFSET", help: "the file, and the place unless --all is given")],
    examples: [
      ExampleSpec("varve frame tiny.vlog@128", "print the first frame"),
      ExampleSpec("varve frame --all tiny.vlog", "print all fields of a file"),
      ExampleSpec("varve frame --payload -o payload tiny.vlog@128", "keep a payload"),
    ],
    exits: [
      ExitSpec(.done),
      ExitSpec(.operationalFailure, "the file cannot be read"),
      ExitSpec(.corruption, "what is printed is not valid"),
    ]
  ) { context in
    let options = context.options
    let place = try FramePlace(
      context.command.argument("FILE@OFFSET") ?? "", isWhole: options.flag("all"))
    let source = try FileArgument.source(place.path)
    var layout = try FileLayout(source)
    let output = try context.resultWriter()
    let width = options.integer("width") ?? 16
    guard let offset = place.offset else {
      guard !options.flag("raw"), !options.flag("payload") else {
        throw UsageError(
          .conflictingOptions, "--all prints fields only", hint: "Give an offset to write bytes.")
      }
      var printer = try SpanPrinter(
        context.globals.format, path: place.path, width: width, to: output)
      try layout.forEach { layout, piece in try printer.print(try layout.spans(piece)) }
      try printer.finish()
      return layout.isDamaged ? .corruption : .done
    }
    guard let (piece, start) = try layout.piece(at: offset) else {
      throw UsageError(
        .badArgument,
        "nothing is at byte \(offset): the file has \(source.length) bytes",
        hint: "Is it the file that the place was named for, and whole?")
    }
    if options.flag("raw") || options.flag("payload") {
      try write(piece, isPayload: options.flag("payload"), of: &layout, to: output)
    } else {
      if start != offset { try context.note("byte \(offset) lies behind the start at \(start)") }
      var printer = try SpanPrinter(
        context.globals.format, path: place.path, width: width, to: output)
      try printer.print(try layout.spans(piece))
      try printer.finish()
    }
    return layout.isDamaged ? .corruption : .done
  }

  private static func write(
    _ piece: FileLayout.Piece, isPayload: Bool, of layout: inout FileLayout,
    to output: OutputWriter
  ) throws {
    var bytes = try layout.bytes(piece)
    if isPayload, case .frame(let frame) = piece { bytes = try frame.payload() }
    try bytes.withUnsafeBytes { bytes in try output.write(bytes) }
  }
}

/// The argument `FILE@OFFSET`.
private struct FramePlace {
  var path: String
  /// Nil for the whole file.
  var offset: UInt64?

  init(_ text: String, isWhole: Bool) throws(UsageError) {
    if isWhole {
      path = text
      return
    }
    guard let at = text.lastIndex(of: "@"), at > text.startIndex,
      let offset = UInt64(text[text.index(after: at)...])
    else {
      throw UsageError(
        .badArgument, "\"\(text)\" names no place in a file",
        hint: "Write FILE@OFFSET, for example tiny.vlog@128, or give --all.")
    }
    path = String(text[..<at])
    self.offset = offset
  }
}
