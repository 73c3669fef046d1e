// Streams one JSON document or JSON lines, so that long lists need no memory.

/// Writes elements as JSON lines, or as the list of one document.
struct DocumentWriter {
  private let writer: OutputWriter
  private let isLines: Bool
  private let schema: String
  private let list: String
  private var count = 0

  /// Starts a document `{"schema":...,"list":[`, unless lines are wanted.
  init(_ writer: OutputWriter, schema: String, list: String, isLines: Bool) throws(OutputError) {
    self.writer = writer
    self.schema = schema
    self.list = list
    self.isLines = isLines
    if !isLines {
      try writer.write(
        "{\"schema\":\(ReadableValue.quoted(schema)),\(ReadableValue.quoted(list)):[")
    }
  }

  /// Writes one element; a line says its schema itself.
  mutating func add(_ members: [(String, JSONValue)], schema: String? = nil) throws(OutputError) {
    if isLines {
      let name = schema ?? self.schema
      try writer.line(JSONValue.object([("schema", .string(name))] + members).text)
    } else {
      if count > 0 { try writer.write(",") }
      let tagged = schema.map { [("schema", JSONValue.string($0))] } ?? []
      try writer.write(JSONValue.object(tagged + members).text)
    }
    count += 1
  }

  /// Ends the document with further members; as lines they are one more line with the list's name
  /// and `End`.
  func finish(_ members: [(String, JSONValue)]) throws(OutputError) {
    if isLines { return }
    try writer.write("]")
    for (key, value) in members {
      try writer.write(",\(ReadableValue.quoted(key)):\(value.text)")
    }
    try writer.write("}\n")
  }
}
