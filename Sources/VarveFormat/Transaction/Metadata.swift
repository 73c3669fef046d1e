// What a program says about a transaction: author, label, origin.

/// Where a transaction came from.
public enum Origin: UInt8, Sendable, CaseIterable {
  /// A write of the program.
  case local = 0
  /// An import of foreign data.
  case imported
  /// A merge of objects or stores.
  case merge
  /// The inverse of an earlier transaction.
  case undo
  /// A step of a migration.
  case migration
  /// A restored backup.
  case restore

  /// The word that tools print.
  package var name: String { self == .imported ? "import" : String(describing: self) }
}

/// Facts about a transaction that do not change the state.
package struct Metadata: Hashable, Sendable {
  package var author: String?
  package var label: String?
  package var origin: Origin?
  package var checkpoint: String?
  /// Entries with keys of newer versions, kept byte for byte, ascending.
  package var unknown: [Entry] = []

  package struct Entry: Hashable, Sendable {
    package var key: UInt64
    package var bytes: [UInt8]

    package init(key: UInt64, bytes: [UInt8]) {
      self.key = key
      self.bytes = bytes
    }
  }

  package init(author: String? = nil, label: String? = nil, origin: Origin? = nil) {
    self.author = author
    self.label = label
    self.origin = origin
  }

  init(_ reader: inout ByteReader) throws(FormatError) {
    let length = try reader.count(max: Limits.metadataBytesMax, "metadata bytes")
    var body = try reader.sub(length)
    var previous: UInt64 = 0
    while !body.isAtEnd {
      let key = try body.varint()
      guard key > previous else { throw body.error(.badTransaction, "metadata keys do not ascend") }
      previous = key
      switch key {
      case 1: author = try body.text()
      case 2: label = try body.text()
      case 3:
        let bytes = try body.countedBytes()
        if bytes.count == 1, let known = Origin(rawValue: bytes[0]) {
          origin = known
        } else {
          unknown.append(Entry(key: key, bytes: bytes))
        }
      case 4: checkpoint = try body.text()
      default: unknown.append(Entry(key: key, bytes: try body.countedBytes()))
      }
    }
  }

  /// Whether there is nothing to say.
  package var isEmpty: Bool {
    author == nil && label == nil && origin == nil && checkpoint == nil && unknown.isEmpty
  }

  /// Bytes that the entries take, rounded up: each has a key and a count in front.
  var byteCountMax: Int {
    let known = [author, label, checkpoint].reduce(2) { $0 + 6 + ($1?.utf8.count ?? 0) }
    return isEmpty ? 0 : unknown.reduce(known) { $0 + 15 + $1.bytes.count }
  }

  /// Bytes that the entries take, without their count in front.
  var byteCount: Int { isEmpty ? 0 : encodedEntries().count }

  func write(into writer: inout ByteWriter) {
    if isEmpty {
      writer.varint(0)
      return
    }
    let body = encodedEntries()
    writer.varint(body.count)
    body.withUnsafeBytes { writer.bytes($0) }
  }

  private func encodedEntries() -> ByteWriter {
    var entries = unknown
    if let author { entries.append(Entry(key: 1, bytes: Array(author.utf8))) }
    if let label { entries.append(Entry(key: 2, bytes: Array(label.utf8))) }
    if let origin { entries.append(Entry(key: 3, bytes: [origin.rawValue])) }
    if let checkpoint { entries.append(Entry(key: 4, bytes: Array(checkpoint.utf8))) }
    entries.sort { $0.key < $1.key }
    var body = ByteWriter()
    for entry in entries {
      body.varint(entry.key)
      body.countedBytes(entry.bytes)
    }
    return body
  }
}
