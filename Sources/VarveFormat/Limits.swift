// Every limit of the format, and the relations between them. See Formats/README.md section 6.

/// Limits that are checked before anything is allocated.
package enum Limits {
  /// Raw payload of a frame; one LZ4 block.
  package static let frameRawBytesMax = 4 << 20
  /// Bytes that the largest raw payload can shrink to and claim to come from: LZ4's best ratio.
  package static let compressionRatioMax = 255
  /// Slack of the ratio rule for very short payloads.
  package static let compressionSlackBytes = 64
  /// Transactions that share one frame.
  package static let frameTransactionsMax = 65_536
  /// Raw bytes up to which small transactions of one commit group share a frame.
  package static let sharedFrameBytesMax = 64 << 10
  /// Operations of one transaction.
  package static let operationsMax = 1 << 20
  /// Operation bytes of one transaction, its parts included.
  package static let operationBytesMax = 64 << 20
  /// Operation bytes that stay inside the TX frame; more go into parts.
  package static let inlineOperationBytesMax = 256 << 10
  /// Elements of all lists in a transaction's operations, together: fields, elements of arrays,
  /// dots, entries of vectors and dictionaries, members of groups, attributes, tags, parts.
  ///
  /// Decoded, an element takes at most about a hundred bytes and its own.
  package static let elementsMax = 2 << 20
  /// What decoded operations take of memory at most, in units of `operationBytesMax`.
  package static let decodingFactor = 8
  /// Parts of one transaction.
  package static let partsMax = 32_768
  /// Bytes of a TX frame that are a transaction's own: those behind its dependencies, and the
  /// offsets of its parts.
  ///
  /// Parts, metadata and inline operations share them, so that a frame has room for the longest
  /// dictionary and dependencies.
  package static let ownBytesMax = (1 << 20) + (64 << 10)
  /// What a part takes of `ownBytesMax` at most: an entry of the list and an offset.
  package static let partOwnBytesMax = 24 + 8
  /// Rows of one column block.
  package static let blockRowsMax = 65_536
  /// Bytes of one cell of a column.
  package static let cellBytesMax = 60_000
  /// Rows of one columns operation.
  package static let columnsRowsMax = 1 << 24
  /// Columns of one columns operation.
  package static let columnsMax = 4_096
  /// Entries of a log's dictionary of replicas and branches.
  package static let dictionaryMax = 65_536
  /// Dependencies of one transaction.
  package static let dependenciesMax = 65_536
  /// Metadata of one transaction.
  package static let metadataBytesMax = 64 << 10
  /// A label of an entity, attribute or mark.
  package static let labelBytesMax = 1_024
  /// The largest serial of an object: 36 bits, so that a handle fits 64.
  package static let serialMax: UInt64 = (1 << 36) - 1
  /// Entries of a SEAL's index; the stride doubles beyond.
  package static let sealIndexMax = 4_096
  /// Entries of a SEAL's column directory; left empty beyond.
  package static let sealColumnsMax = 65_536
  /// DIRECTORY frames of a baseline.
  package static let baselineDirectoriesMax = 1_024
  /// Raw bytes of a DIRECTORY frame that a writer does not exceed unless one record does.
  package static let baselineDirectoryBytes = 1 << 20
  /// Registers of the schema in a baseline.
  package static let baselineDeclarationsMax = 1 << 20
  /// Tables of a baseline.
  package static let baselineTablesMax = 65_536
  /// Blocks that a baseline names, empty ones included.
  package static let baselineSlotsMax = 1 << 22
  /// Elements that memory is set aside for when a count claims more; longer lists grow as they are
  /// read.
  package static let reservedMax = 1_024
  /// Rows of one in-memory group, and of one chunk of a decoded column (Q35).
  package static let groupRows = 4_096
  /// Values of one miniblock of a packed section.
  package static let miniblockRows = 128

  /// Traps when the limits contradict each other.
  package static func checkRelations() {
    precondition(blockRowsMax % groupRows == 0, "blocks are cut into whole groups")
    precondition(groupRows % miniblockRows == 0, "groups are cut into whole miniblocks")
    precondition(blockRowsMax * 8 + (64 << 10) < frameRawBytesMax, "a plain block fits a frame")
    precondition(
      64 * (cellBytesMax + 9) + (16 << 10) < frameRawBytesMax, "a block of the longest cells fits")
    precondition(sharedFrameBytesMax < frameRawBytesMax, "a shared frame fits")
    let lists =
      dictionaryMax * DictionaryEntry.byteCountMax + dependenciesMax * LogPosition.byteCountMax
    precondition(
      partsMax * partOwnBytesMax <= ownBytesMax, "the longest list of parts fits a transaction")
    precondition(
      inlineOperationBytesMax + metadataBytesMax + 3 <= ownBytesMax, "inline operations fit")
    precondition(
      TransactionFrame.fixedBytes + TransactionHeader.openingBytesMax + lists + ownBytesMax
        <= frameRawBytesMax, "a TX frame fits")
    precondition(
      Seal.fixedBytes + sealIndexMax * 16 + dictionaryMax * (16 + DictionaryEntry.byteCountMax) + 7
        <= frameRawBytesMax, "a SEAL without column directory fits")
    precondition(
      dictionaryMax * 73 + baselineSlotsMax * 64 < baselineDirectoriesMax * baselineDirectoryBytes,
      "the blocks of a baseline fit its directory")
  }
}
