// Digests against a slow reading of their definition.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Digests")
struct DigestTests {
  @Test("the digest of every column type is the sum that Formats/Digest.md defines")
  func definition() throws {
    let state = try DigestTests.tables()
    let expected = DigestTests.slowDigest(state)
    let digest = StateDigest(state)
    #expect(digest.total == expected)
    #expect(digest.total.content != digest.total.state)
    #expect(digest.entities.map(\.rows) == [300])
  }

  @Test("one changed value, id or stamp changes the digest")
  func sensitivity() throws {
    let base = StateDigest(try DigestTests.tables()).total
    #expect(StateDigest(try DigestTests.tables(changed: 17)).total.content != base.content)
    #expect(StateDigest(try DigestTests.tables(firstSerial: 2)).total.content != base.content)
    let later = StateDigest(try DigestTests.tables(milliseconds: 2_000)).total
    #expect(later.content == base.content)
    #expect(later.state != base.state)
  }

  @Test("cutting the same rows into other transactions leaves the content digest as it is")
  func batches() throws {
    let whole = StateDigest(try DigestTests.tables()).total
    let parts = StateDigest(try DigestTests.tables(batches: [100, 64, 136])).total
    #expect(parts.content == whole.content)
  }

  /// Rows of every type, some cells nil, as a replay gives them.
  private static func tables(
    changed: Int? = nil, firstSerial: UInt64 = 1, milliseconds: UInt64 = 1_000,
    batches: [Int] = [300]
  ) throws -> GraphState {
    let disk = SimulatedDisk()
    let clock = ManualClock()
    clock.setWall(milliseconds: milliseconds)
    let log = try Log.create(
      at: "store", disk: disk, clock: clock, entropy: SeededEntropy(seed: 5),
      options: LogFixture.options())
    var start = 0
    for rows in batches {
      var builder = TransactionBuilder()
      try builder.addColumns(
        form: .create, entity: 3, rows: rows,
        identifiers: .run(index: 0, firstSerial: firstSerial + UInt64(start)),
        columns: try columns(start..<start + rows, changed: changed))
      _ = try log.commit(try builder.finish())
      start += rows
    }
    try log.close()
    let catalog = try LogCatalog(disk, StorePaths("store"), superblock: nil)
    let result = try Replay.run(disk, catalog)
    #expect(result.problems.isEmpty)
    return result.state
  }

  private static func columns(_ rows: Range<Int>, changed: Int?) throws -> [ColumnInput] {
    let types: [PhysicalType] = [
      .bool, .integer, .unsigned, .double, .date, .reference, .string, .data, .uuid, .decimal,
    ]
    return types.enumerated().map { index, type in
      var present = Presence()
      for row in rows { present.append((row + index) % 11 != 0) }
      let cells: ColumnCells
      if type.isWord || type == .bool {
        cells = .words(rows.map { word($0, type, changed: changed) }, present: present)
      } else {
        var offsets: [UInt32] = [0]
        var heap: [UInt8] = []
        for row in rows {
          heap += payload(row, type)
          offsets.append(UInt32(heap.count))
        }
        cells = .bytes(offsets: offsets, heap: heap, present: present)
      }
      return ColumnInput(UInt32(index + 1), type, cells)
    }
  }

  private static func word(_ row: Int, _ type: PhysicalType, changed: Int?) -> UInt64 {
    let value = row == changed ? row + 1_000 : row
    switch type {
    case .bool: return UInt64(row % 2)
    case .integer: return UInt64(bitPattern: Int64(value) * -7)
    case .double: return (Double(row) / 3).bitPattern
    case .reference: return UInt64(row + 1)
    default: return UInt64(row) * 1_000_000_007
    }
  }

  private static func payload(_ row: Int, _ type: PhysicalType) -> [UInt8] {
    switch type {
    case .uuid: return (0..<16).map { UInt8(truncatingIfNeeded: row * $0) }
    case .decimal:
      var writer = ByteWriter()
      Value.decimal(DecimalValue(isNegative: false, exponent: -2, magnitude: UInt128(row)))
        .writePayload(into: &writer)
      return writer.finish().array
    default: return Array("v\(row % 13)".utf8)
    }
  }

  /// The definition, one register after the other, through the row form of values.
  private static func slowDigest(_ state: GraphState) -> DigestPair {
    var sum = DigestPair()
    let snapshot = GraphSnapshot(state)
    for table in state.sortedTables {
      snapshot.forEachObject(table.entity) { handle in
        for column in table.columns {
          guard let name = state.name(handle), case .created(let creator, let serial) = name.origin,
            let mark = state.mark(handle, column.key)
          else { continue }
          let value = snapshot.value(handle, column.key)
          if value == nil, column.key != .life { continue }
          var writer = ByteWriter()
          writer.uint32(table.entity)
          writer.uint32(column.key.tag)
          writer.bytes(creator.replica.array)
          writer.uint64(serial)
          write(value, creator, into: &writer)
          let content = writer.finish().array
          sum.content &+= Checksum.hash128(content)
          var stamped = ByteWriter()
          stamped.bytes(content)
          stamped.uint64(mark.stamp.rawValue)
          stamped.bytes(mark.author.replica.array)
          sum.state &+= Checksum.hash128(stamped.finish().array)
        }
      }
    }
    return sum
  }

  private static func write(_ value: Value?, _ creator: Creator, into writer: inout ByteWriter) {
    guard case .reference(let object) = value, case .created(_, let serial) = object.origin else {
      value?.write(into: &writer)
      return
    }
    writer.uint8(10)
    writer.uint32(object.entity)
    writer.bytes(creator.replica.array)
    writer.uint64(serial)
  }
}
