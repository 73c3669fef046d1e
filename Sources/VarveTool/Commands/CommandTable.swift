// The table of all commands.

extension CommandTable {
  /// The commands of `varve`.
  static let varve = CommandTable(
    summary: "looks into, checks and maintains Varve stores", version: ToolVersion.current,
    commands: [
      .importCSV, .info, .schemaShow, .segments, .baselineList, .log, .show, .hash, .diskUsage,
      .verify, .baselineVerify, .rebuild, .recover, .compact, .dump, .frame, .demo, .help, .explain,
    ])
}
