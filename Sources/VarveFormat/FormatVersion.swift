// The only place where versions of the file format live. See Formats/Changes.md.

/// The version of the file format that this code writes.
package enum FormatVersion {
  /// Another major version is refused.
  package static let major: UInt16 = 0
  /// A higher minor version can be read.
  package static let minor: UInt16 = 1
  /// The version byte of a transaction.
  package static let transaction: UInt8 = 1
}
