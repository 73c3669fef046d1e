// `columns.vlog`: every encoding, with and without nil, and every type. Layer: test support.

import VarveFormat

extension GoldenSpecs {
  private static let rows = 12

  package static let columns: SegmentSpec = {
    var spec = SegmentSpec(header())
    var first = TransactionSpec(
      stamp: stamp(0), operations: [.delete(ObjectReference(entity: 1, serial: 1))])
    first.isFullVector = true
    spec.append(.group([first]))
    do throws(FormatError) {
      spec.append(.group([try created]))
      spec.append(.group([try byIdentity, try edges, try deleted]))
    } catch { preconditionFailure("golden columns stay inside the limits: \(error)") }
    spec.seal()
    return spec
  }()

  /// Rows 2, 5, 8 and 11 are nil.
  private static var someNil: Presence {
    var presence = Presence()
    for row in 0..<rows { presence.append(row % 3 != 2) }
    return presence
  }

  private static func words(_ word: (Int) -> UInt64) -> [UInt64] { (0..<rows).map(word) }

  private static func input(
    _ attribute: UInt32, _ type: PhysicalType, _ words: [UInt64], nils: Bool
  ) -> ColumnInput {
    targeted(ColumnInput(attribute, type, .words(words, present: nils ? someNil : nil)))
  }

  /// References name the entity that they point to; ids do not.
  private static func targeted(_ input: ColumnInput) -> ColumnInput {
    var input = input
    let isReference = input.type == .reference || input.type == .identityReference
    input.target = isReference && input.attribute > 0 ? 2 : 0
    return input
  }

  private static func input(
    _ attribute: UInt32, _ type: PhysicalType, nils: Bool, _ cell: (Int) -> [UInt8]
  ) -> ColumnInput {
    let cells = (0..<rows).map(cell)
    return targeted(
      ColumnInput(attribute, type, ColumnCells(cells, present: nils ? someNil : nil)))
  }

  /// Columns of every encoding; odd attributes have no nil cells, even ones have some.
  private static var inputs: [ColumnInput] {
    let doubles = words { (Double($0) * 1.5 - 3).bitPattern }
    let fewDoubles = words { $0 < 6 ? Double.pi.bitPattern : (-0.0).bitPattern }
    let hours = words { UInt64(bitPattern: Int64($0 - 5) * 3_600_000_000_000) }
    let wide = words { [1 << 63, (1 << 63) - 1, 0, 1][$0 % 4] }
    var list: [ColumnInput] = []
    for nils in [false, true] {
      let odd: UInt32 = nils ? 1 : 0
      list += [
        input(1 + odd, .double, doubles, nils: nils), input(3 + odd, .integer, hours, nils: nils),
        input(5 + odd, .date, hours, nils: nils),
        input(7 + odd, .unsigned, words { UInt64($0) << 40 }, nils: nils),
        input(9 + odd, .reference, words { UInt64($0 % 2) << 48 | UInt64($0 + 1) }, nils: nils),
        input(11 + odd, .bool, words { UInt64($0 % 2) }, nils: nils),
        input(13 + odd, .string, nils: nils) { Array("title \($0)".utf8) },
        input(15 + odd, .string, nils: nils) { Array(["", "jazz", "é"][$0 / 4].utf8) },
        input(17 + odd, .double, fewDoubles, nils: nils),
        input(19 + odd, .integer, wide, nils: nils),
        input(21 + odd, .data, nils: nils) { [UInt8](repeating: UInt8($0), count: $0 % 4) },
        input(23 + odd, .uuid, nils: nils) { [UInt8](repeating: UInt8($0 / 2), count: 16) },
        input(25 + odd, .decimal, nils: nils) {
          payload(
            .decimal(
              .init(
                isNegative: $0 % 2 == 1, exponent: -2, magnitude: UInt128($0 * 100 + 1))))
        },
        input(27 + odd, .blob, nils: nils) {
          payload(
            .blob(
              sha256: [UInt8](repeating: UInt8($0 / 4), count: 32), byteCount: 70_000))
        },
        input(29 + odd, .array, nils: nils) { payload(.array(.integer, [.integer(Int64($0))])) },
        input(31 + odd, .composite, nils: nils) {
          payload(
            .composite(
              encoding: 1, Array("[\($0)]".utf8)))
        },
        input(33 + odd, .identityReference, nils: nils) {
          Checksum.hash128([UInt8($0 / 3)]).storedBytes
        },
      ]
    }
    return list.sorted { $0.attribute < $1.attribute }
  }

  private static func payload(_ value: Value) -> [UInt8] {
    var writer = ByteWriter()
    value.writePayload(into: &writer)
    return writer.finish().array
  }

  private static func transaction(
    _ number: UInt64, _ build: (inout TransactionBuilder) throws(FormatError) -> Void
  ) throws(FormatError) -> TransactionSpec {
    var builder = TransactionBuilder()
    try build(&builder)
    return try TransactionSpec(try builder.finish(), stamp: stamp(number))
  }

  private static var created: TransactionSpec {
    get throws(FormatError) {
      try transaction(1) { (builder: inout TransactionBuilder) throws(FormatError) in
        try builder.addColumns(
          form: .create, entity: 1, rows: rows, identifiers: .run(index: 0, firstSerial: 1),
          columns: inputs)
      }
    }
  }

  /// Ids by key hash, with the keys beside.
  private static var byIdentity: TransactionSpec {
    get throws(FormatError) {
      try transaction(2) { (builder: inout TransactionBuilder) throws(FormatError) in
        try builder.addColumns(
          form: .create, entity: 2, rows: rows, identifiers: .identities,
          columns: [
            input(0, .identityReference, nils: false) { Checksum.hash128([UInt8($0)]).storedBytes },
            input(0, .data, nils: false) { [UInt8($0)] },
            input(1, .integer, words { UInt64($0) }, nils: false),
          ])
      }
    }
  }

  private static var edges: TransactionSpec {
    get throws(FormatError) {
      try transaction(3) { (builder: inout TransactionBuilder) throws(FormatError) in
        try builder.addColumns(
          form: .link, entity: 1, rows: rows, identifiers: .references,
          columns: [
            input(0, .reference, words { UInt64($0 + 1) }, nils: false),
            input(3, .reference, words { UInt64(12 - $0) }, nils: false),
          ])
      }
    }
  }

  private static var deleted: TransactionSpec {
    get throws(FormatError) {
      try transaction(4) { (builder: inout TransactionBuilder) throws(FormatError) in
        try builder.addColumns(
          form: .delete, entity: 1, rows: 3, identifiers: .references,
          columns: [ColumnInput(0, .reference, .words([1, 3, 5], present: nil))])
      }
    }
  }
}
