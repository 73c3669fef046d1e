// Operations that could be written and not read.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Limits of operations")
struct OperationLimitTests {
  private static let object = ObjectReference(entity: 1, serial: 1)
  private static let label = String(repeating: "x", count: Limits.labelBytesMax + 1)
  private static let tags = [UInt32](repeating: 1, count: Limits.columnsMax + 1)

  private static let tooLarge: [Operation] = [
    .schema(.entity(entity: 1, label: label, flags: 0)),
    .schema(.version(1, label: label)),
    .schema(.uniqueness(entity: 1, mode: 1, attributes: tags)),
    .unset(object, tags.map { FieldType($0, .bool) }),
    .group(object, group: 1, tags.map { GroupMember($0, .bool(true)) }),
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

  private static let nils: [Operation] = [
    .create(object, key: [], [FieldValue(1, .null)]), .set(object, [FieldValue(1, .null)]),
    .recreate(object, [FieldValue(1, .bool(true)), FieldValue(2, .null)]),
    .setAdd(object, field: 1, .null), .setRemove(object, field: 1, .null, dots: []),
    .mapPut(object, field: 1, key: .null, .bool(true)),
    .mapPut(object, field: 1, key: .bool(true), .null), .mapRemove(object, field: 1, key: .null),
  ]

  @Test("a nil that names no type is neither written nor read", arguments: nils)
  func untypedNil(_ operation: Operation) {
    let error = #expect(throws: FormatError.self) {
      var builder = TransactionBuilder()
      builder.add(operation)
      _ = try builder.finish()
    }
    #expect(error?.code == .badValue)
    #expect(throws: FormatError.self) {
      try OperationTests.decode(OperationTests.encode(operation))
    }
  }

  @Test("unset and the nil of a group name one of the fourteen types", arguments: 0...255)
  func types(_ code: Int) {
    let isKnown = PhysicalType(rawValue: UInt8(code)) != nil
    // Object 1/0/1; for the group also its tag; one field 9.
    let unset: [UInt8] = [3, 6, 1, 1, 1, 1, 9, UInt8(code)]
    let group: [UInt8] = [14, 8, 1, 1, 1, 4, 1, 9, 0, UInt8(code)]
    for bytes in [unset, group] {
      let operation = try? OperationTests.decode(bytes)
      #expect((operation != nil) == isKnown)
      if let operation { #expect(OperationTests.encode(operation) == bytes) }
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
