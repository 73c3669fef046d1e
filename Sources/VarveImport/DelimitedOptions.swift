// How delimited text is spelled.

/// The dialect of a delimited text file and the types of its columns.
package struct DelimitedOptions: Sendable, Equatable {
  /// The byte between fields.
  package var delimiter = UInt8(ascii: ",")
  /// The byte around fields that hold delimiters, quotes or line ends; nil when quotes are ordinary
  /// bytes.
  package var quote: UInt8? = UInt8(ascii: "\"")
  /// Lines that start with this byte are skipped.
  package var comment: UInt8?
  /// Whether the first row names the columns.
  ///
  /// Without it, and without `columnNames`, they are `column1`, `column2`, ...
  package var hasHeader = true
  /// Names that replace those of the header.
  package var columnNames: [String]?
  /// Unquoted fields with one of these texts are nil, besides empty ones.
  package var nilMarkers: [String] = []
  /// Whether spaces and tabs around fields are dropped.
  package var trims = false
  /// Types by column name.
  ///
  /// They win over types in the header (`name:Type`).
  package var types: [String: ColumnType] = [:]
  /// Whether columns without a given type get the narrowest type that fits all their values; else
  /// they are strings.
  package var infersTypes = true

  package init() {}

  /// Checks that the bytes that structure a text differ.
  package func validate() throws(ImportError) {
    var bytes: [(UInt8, String)] = [(delimiter, "delimiter")]
    if let quote { bytes.append((quote, "quote")) }
    if let comment { bytes.append((comment, "comment")) }
    for (index, (byte, name)) in bytes.enumerated() {
      guard byte != 0, byte < 0x80, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") else {
        throw ImportError(.badOption, "the \(name) must be one ASCII character, not a line end")
      }
      if let other = bytes[..<index].first(where: { $0.0 == byte }) {
        throw ImportError(.badOption, "\(other.1) and \(name) are the same character")
      }
    }
    if trims, delimiter == UInt8(ascii: " ") {
      throw ImportError(.badOption, "fields between spaces cannot be trimmed")
    }
  }
}
