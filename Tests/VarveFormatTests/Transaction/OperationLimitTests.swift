// Operations that could be written and not read.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Limits of operations")
struct OperationLimitTests {
  private static let label = String(repeating: "x", count: Limits.labelBytesMax + 1)
  private static let tags = [UInt32](repeating: 1, count: Limits.columnsMax + 1)

  private static let tooLarge: [Operation] = [
    .schema(.entity(entity: 1, label: label, flags: 0)),
    .schema(.version(1, label: label)),
    .schema(.uniqueness(entity: 1, mode: 1, attributes: tags)),
    .unset(ObjectReference(entity: 1, serial: 1), tags),
    .tag(name: label, isSet: true, vector: []),
    .migration(identifier: label, ordinal: 1, isFinished: false),
  ]

  @Test("an operation that no reader takes is refused when the transaction is finished")
  func refused() {
    for operation in OperationLimitTests.tooLarge {
      let error = #expect(throws: FormatError.self) {
        var builder = TransactionBuilder()
        builder.add(operation)
        _ = try builder.finish()
      }
      #expect(error?.code == .badLength)
    }
  }

  @Test("a deletion with columns and a link without one are refused")
  func forms() throws {
    let references = ColumnsOperation.Column(attribute: 2, type: .reference, target: 1)
    let numbers = ColumnsOperation.Column(attribute: 2, type: .integer)
    let cases: [(ColumnsOperation.Form, [ColumnsOperation.Column], Bool)] = [
      (.delete, [], true), (.delete, [numbers], false), (.link, [references], true),
      (.link, [], false), (.link, [numbers], false), (.link, [references, references], false),
      (.set, [], true), (.create, [numbers], true),
    ]
    for (form, columns, isValid) in cases {
      var writer = ByteWriter()
      var scratch = ByteWriter()
      let operation = ColumnsOperation(
        form: form, entity: 1, rows: 3, identifiers: .references, firstPart: 0, columns: columns)
      Operation.columns(operation).write(into: &writer, scratch: &scratch)
      let bytes = writer.finish()
      let read = try? bytes.read { (reader: inout ByteReader) throws(FormatError) in
        try Operation(&reader)
      }
      #expect((read != nil) == isValid, "\(form.name) with \(columns.count) columns")
    }
  }
}
