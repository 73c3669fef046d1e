// Random baselines, in order as a writer has to hand them in. Layer: test support.

import VarveFormat

extension FormatRandom {
  package mutating func creator() -> BaselineCreator {
    let name: BaselineCreator.Name =
      chance(60)
      ? .replica(replica())
      : .branch(parent: replica(), forkSequence: number(), chainPrefix: bytes(8))
    return BaselineCreator(name, sequence: number(), chain: hash(), stamp: stamp())
  }

  package mutating func claim() -> BaselineDeclaration.Claim {
    BaselineDeclaration.Claim(stamp: stamp(), author: replica(), ordinal: number())
  }

  /// A small baseline; with creators it has tables with runs.
  package mutating func baseline(tables: Int = 3, rows: Int = 150) -> BaselineSpec {
    let creators = list(max: 4) { $0.creator() }.sorted { $0.name < $1.name }
    var spec = BaselineSpec(
      store: store(),
      cut: BaselineCut(
        era: era(), generation: number(max: (1 << 40) - 1), parent: hash(), creators: creators,
        maxStamp: stamp()))
    var bodies: Set<SchemaOperation> = []
    for operation in list(max: 4, { $0.schemaOperation() })
    where bodies.insert(operation).inserted {
      spec.schema.append(BaselineDeclaration(operation, latest: claim(), earliest: claim()))
    }
    let entities = Set(list(max: tables) { $0.tag() }).sorted()
    for entity in entities {
      spec.tables.append(table(entity, creators: creators.count, rows: rows))
    }
    let kinds = list(max: 3) { UInt8($0.below(4)) }.sorted()
    for kind in kinds {
      spec.sides.append(.init(kind: kind, payload: Bytes(bytes(max: 700))))
    }
    return spec
  }

  private mutating func table(_ entity: UInt32, creators: Int, rows: Int) -> BaselineSpec.Table {
    var columns = [BaselineColumn(tag: 0, kind: BaselineColumn.lifeKind)]
    for tag in Set(list(max: 4) { UInt32($0.within(1...9)) }).sorted() {
      let type = pick(PhysicalType.allCases)
      columns.append(BaselineColumn(tag: tag, kind: type.rawValue, target: tag % 3))
      if chance(20) {
        columns.append(BaselineColumn(tag: tag, kind: BaselineColumn.orderKeyKind))
      }
    }
    var table = BaselineSpec.Table(entity: entity, columns: columns, runs: [])
    (table.created, table.dead, table.hidden) = (number(), number(), number())
    guard creators > 0 else { return table }
    for creator in Set(list(max: 3) { UInt32($0.below(creators + 1)) }).sorted() {
      table.runs.append(
        run(entity, columns, creator: creator, creators: creators, rows: within(1...rows)))
    }
    return table
  }

  private mutating func run(
    _ entity: UInt32, _ columns: [BaselineColumn], creator: UInt32, creators: Int, rows: Int
  ) -> BaselineSpec.Run {
    var run = BaselineSpec.Run(
      creator: creator, rows: UInt64(rows), columns: [], stamps: [], authors: [], overrides: [])
    for column in columns {
      let size = pick(BaselineRun.blockRowsChoices)
      run.blockRows.append(size)
      var blocks: [Bytes?] = []
      for start in stride(from: 0, to: rows, by: size) {
        let count = min(size, rows - start)
        blocks.append(chance(20) ? nil : block(entity, column, rows: count))
      }
      run.columns.append(blocks)
    }
    for start in stride(from: 0, to: rows, by: Limits.blockRowsMax) {
      let count = min(Limits.blockRowsMax, rows - start)
      run.stamps.append(marks(entity, (0..<count).map { _ in number() }))
      run.authors.append(marks(entity, (0..<count).map { _ in author(creators) }))
      run.overrides.append(
        overrides(entity, columns: columns.count, creators: creators, rows: count))
    }
    return run
  }

  private mutating func author(_ creators: Int) -> UInt64 { UInt64(within(1...creators)) }

  private mutating func block(_ entity: UInt32, _ column: BaselineColumn, rows: Int) -> Bytes {
    guard let type = column.type else { preconditionFailure("columns have known kinds") }
    let shape = pick([CellShape.random, .someNil, .fewValues, .constant])
    return ColumnBlockEncoder.encode(
      cells(type, rows: rows, shape: shape), rows: 0..<rows, entity: entity,
      attribute: column.tag, type: type)
  }

  private func marks(_ entity: UInt32, _ words: [UInt64]) -> Bytes {
    ColumnBlockEncoder.encode(
      .words(words, present: nil), rows: 0..<words.count, entity: entity, attribute: 0,
      type: .unsigned)
  }

  private mutating func overrides(
    _ entity: UInt32, columns: Int, creators: Int, rows: Int
  ) -> [BaselineSpec.Overrides] {
    let places = Set(list(max: 6) { $0.below(rows * columns) }).sorted()
    guard !places.isEmpty else { return [] }
    return [
      .init(
        row: marks(entity, places.map { UInt64($0 / columns) }),
        column: marks(entity, places.map { UInt64($0 % columns) }),
        stamp: marks(entity, places.map { _ in number() }),
        author: marks(entity, places.map { _ in author(creators) }))
    ]
  }
}
