// The table of all commands.

extension CommandTable {
  /// The commands of `varve`.
  static let varve = CommandTable(
    summary: "looks into, checks and maintains Varve stores", version: ToolVersion.current,
    commands: [
      .importCSV, .info, .schemaShow, .segments, .log, .show, .hash, .verify, .rebuild, .recover,
      .dump, .frame, .demo, .help, .explain,
    ])
}
