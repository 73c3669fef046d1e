// A log on a simulated disk, and drafts to put into it. Shared by tests of the log.

import Varve
import VarveFormat

/// Builds logs and transactions for tests.
package enum LogFixture {
  /// The sequences of a log without gaps: 1 to `count`.
  package static func denseSequences(_ count: Int) -> [UInt64] {
    (0..<count).map { UInt64($0 + 1) }
  }

  /// Options under which nothing depends on time: no timer, small segments if asked for.
  package static func options(
    segmentBytes: UInt64 = 16 << 20, firstBytes: UInt64 = 4_096, reserveBytes: UInt64 = 8_192
  ) -> LogOptions {
    var options = LogOptions()
    options.usesTimer = false
    options.rotation.segmentBytes = segmentBytes
    options.preallocation = PreallocationPolicy(firstBytes: firstBytes, stepBytesMax: firstBytes)
    options.reserveBytes = reserveBytes
    return options
  }

  /// A transaction that sets one attribute of one object to a number, padded to some size with
  /// bytes that cannot be compressed.
  package static func draft(_ number: Int, padding: Int = 0) throws -> TransactionDraft {
    var generator = SplitMix64(seed: UInt64(number))
    var builder = TransactionBuilder()
    builder.add(
      .set(
        ObjectReference(entity: 1, serial: UInt64(number + 1)),
        [
          FieldValue(1, .integer(Int64(number))),
          FieldValue(2, .data((0..<padding).map { _ in .random(in: 0...255, using: &generator) })),
        ]))
    return try builder.finish()
  }

  /// A transaction with columns of `rows` integers and strings.
  package static func columnsDraft(rows: Int, firstSerial: UInt64 = 1) throws -> TransactionDraft {
    var builder = TransactionBuilder()
    let words = (0..<rows).map { UInt64($0 * 3) }
    var offsets: [UInt32] = [0]
    var heap: [UInt8] = []
    for row in 0..<rows {
      heap += Array("name \(row % 7)".utf8)
      offsets.append(UInt32(heap.count))
    }
    try builder.addColumns(
      form: .create, entity: 9, rows: rows,
      identifiers: .run(index: 0, firstSerial: firstSerial),
      columns: [
        ColumnInput(1, .integer, .words(words, present: nil)),
        ColumnInput(2, .string, .bytes(offsets: offsets, heap: heap, present: nil)),
      ])
    return try builder.finish()
  }

  /// A transaction with a number and columns of `rows` rows, in several frames.
  package static func numberedColumns(_ number: Int, rows: Int) throws -> TransactionDraft {
    var builder = TransactionBuilder()
    builder.add(
      .set(
        ObjectReference(entity: 1, serial: UInt64(number + 1)),
        [FieldValue(1, .integer(Int64(number)))]))
    try builder.addColumns(
      form: .create, entity: 9, rows: rows,
      identifiers: .run(index: 0, firstSerial: UInt64(number * 100_000 + 1)),
      columns: [
        ColumnInput(1, .integer, .words((0..<rows).map { UInt64($0 &* $0) }, present: nil)),
        ColumnInput(2, .integer, .words((0..<rows).map { UInt64($0 + number) }, present: nil)),
      ])
    return try builder.finish()
  }

  /// The numbers of all `draft` transactions in the accepted part of the writing replica's log, in
  /// order.
  package static func numbers(_ disk: any Disk, at path: String) throws -> [Int] {
    let opening = try LogOpening(disk, StorePaths(path), syncsTails: false)
    var numbers: [Int] = []
    for log in opening.catalog.logs {
      for segment in log.segments {
        _ = try LogReader(disk).read(
          segment,
          unit: { unit throws(FormatError) in
            for transaction in unit.transactions {
              try OperationStream.forEach(transaction, parts: unit.parts) {
                operation throws(FormatError) in
                guard case .set(_, let fields) = operation,
                  case .integer(let value) = fields[0].value
                else { return }
                numbers.append(Int(value))
              }
            }
          })
      }
    }
    return numbers
  }
}
