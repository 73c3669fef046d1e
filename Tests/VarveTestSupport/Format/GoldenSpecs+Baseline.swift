// `tiny.vbase`: a table of two creators, an override, a side and a schema. Layer: test support.

import VarveFormat

extension GoldenSpecs {
  /// A small state in which everything that a baseline can hold occurs.
  package static let baseline: BaselineSpec = {
    let creators = [
      BaselineCreator(
        .replica(replica), sequence: 2, chain: Hash128(low: 0x1111, high: 0x2222), stamp: stamp(1)),
      BaselineCreator(
        .branch(parent: replica, forkSequence: 2, chainPrefix: [1, 2, 3, 4, 5, 6, 7, 8]),
        sequence: 3, chain: Hash128(low: 0x3333, high: 0x4444), stamp: stamp(2)),
      BaselineCreator(.replica(other)),
    ]
    var spec = BaselineSpec(
      store: store,
      cut: BaselineCut(
        era: Era(number: 1, opened: [8, 7, 6, 5, 4, 3, 2, 1]), generation: 7,
        parent: Hash128(low: 0x5555, high: 0x6666), creators: creators, maxStamp: stamp(2)))
    let claim = BaselineDeclaration.Claim(stamp: stamp(0), author: replica)
    spec.schema = [
      BaselineDeclaration(
        .entity(entity: 1, label: "Album", flags: 0), latest: claim, earliest: claim)
    ]
    spec.tables = [albums]
    spec.sides = [.init(kind: 1, payload: Bytes([0xCA, 0xFE])), .init(kind: 2, payload: .empty)]
    return spec
  }()

  private static var albums: BaselineSpec.Table {
    let columns = [
      BaselineColumn(tag: 0, kind: BaselineColumn.lifeKind),
      BaselineColumn(tag: 1, kind: PhysicalType.string.rawValue),
      BaselineColumn(tag: 2, kind: PhysicalType.integer.rawValue),
      BaselineColumn(tag: 3, kind: PhysicalType.reference.rawValue, target: 1),
      BaselineColumn(tag: 3, kind: BaselineColumn.orderKeyKind),
    ]
    let titles = ["Kind of Blue", "A Love Supreme", "Mingus Ah Um"]
    let names = ColumnCells(titles.map { Array($0.utf8) }, present: nil)
    var years = Presence()
    for isPresent in [true, false, true] { years.append(isPresent) }
    let first = BaselineSpec.Run(
      creator: 1, rows: 3,
      columns: [
        [words(0, [1, 1, 2])], [cells(1, .string, names)],
        [cells(2, .integer, .words([1959, 0, 1959], present: years))], [nil], [nil],
      ],
      stamps: [words(0, [0, 1, 1].map { stamp($0).rawValue })], authors: [words(0, [1, 1, 1])],
      overrides: [
        [
          .init(
            row: words(0, [0, 2]), column: words(0, [2, 0]),
            stamp: words(0, [1, 2].map { stamp($0).rawValue }), author: words(0, [1, 2]))
        ]
      ])
    let key = ColumnCells([[0x80, 1, 2, 3, 4]], present: nil)
    let second = BaselineSpec.Run(
      creator: 2, rows: 1, blockRows: [65_536, 64, 65_536, 65_536, 4_096],
      columns: [
        [words(0, [1])], [nil], [nil], [cells(3, .reference, .words([1 << 48 | 1], present: nil))],
        [cells(3, .data, key)],
      ],
      stamps: [words(0, [stamp(2).rawValue])], authors: [words(0, [2])], overrides: [[]])
    var table = BaselineSpec.Table(entity: 1, columns: columns, runs: [first, second])
    (table.created, table.dead, table.hidden) = (4, 1, 1)
    return table
  }

  private static func words(_ attribute: UInt32, _ words: [UInt64]) -> Bytes {
    cells(attribute, .unsigned, .words(words, present: nil))
  }

  private static func cells(
    _ attribute: UInt32, _ type: PhysicalType, _ cells: ColumnCells
  ) -> Bytes {
    ColumnBlockEncoder.encode(
      cells, rows: 0..<cells.rows, entity: 1, attribute: attribute, type: type)
  }
}
