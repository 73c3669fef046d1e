// The flights data as columns in memory, or a generated stand-in of any size.

import Varve
import VarveFormat
import VarveImport

/// One entity ready for import.
struct BenchmarkTable {
  var name: String
  var entity: UInt32
  var rows: Int
  var columns: [ColumnInput]
}

enum FlightsData {
  static let names = ["airlines", "airports", "planes", "weather", "flights"]

  /// Reads the five files of the data set.
  static func load(_ directory: String) throws -> [BenchmarkTable] {
    var options = DelimitedOptions()
    options.nilMarkers = ["NA"]
    return try names.map { name in
      let path = "\(directory)/\(name).csv.gz"
      let table = try DelimitedImport(ImportSource.file(path), name: name, options: options).table()
      guard table.problems.isEmpty else { throw WorkloadError("\(path): rows were rejected") }
      return BenchmarkTable(
        name: name, entity: InferredTag.entity(name), rows: table.rowsKept,
        columns: table.columns.map {
          ColumnInput(
            InferredTag.attribute(entity: name, name: $0.name), $0.type, $0.cells)
        })
    }
  }

  /// Rows that look like flights, for runs without the data set.
  static func generated(rows: Int) -> [BenchmarkTable] {
    var random = SplitMix(seed: 42)
    var day: [UInt64] = []
    var delay: [UInt64] = []
    var present = Presence()
    var time: [UInt64] = []
    var offsets: [UInt32] = [0]
    var heap: [UInt8] = []
    for row in 0..<rows {
      day.append(UInt64(row * 365 / max(rows, 1) + 1))
      delay.append(UInt64(bitPattern: Int64(random.next() % 200) - 30))
      present.append(random.next() % 40 != 0)
      time.append(UInt64(1_356_998_400 + row * 90 / 3_600 * 3_600) * 1_000_000_000)
      heap += Array("N\(random.next() % 4_000)".utf8)
      offsets.append(UInt32(heap.count))
    }
    let columns = [
      ColumnInput(1, .integer, .words(day, present: nil)),
      ColumnInput(2, .integer, .words(delay, present: present)),
      ColumnInput(3, .date, .words(time, present: nil)),
      ColumnInput(4, .string, .bytes(offsets: offsets, heap: heap, present: nil)),
    ]
    return [BenchmarkTable(name: "generated", entity: 1, rows: rows, columns: columns)]
  }

  static func tables(_ scale: Scale) throws -> [BenchmarkTable] {
    if let data = scale.data, !scale.isTiny { return try load(data) }
    return generated(rows: scale.isTiny ? 5_000 : 300_000)
  }

  /// A transaction that creates all rows of a table.
  static func draft(_ table: BenchmarkTable, firstSerial: UInt64 = 1) throws -> TransactionDraft {
    var builder = TransactionBuilder()
    builder.add(.schema(.entity(entity: table.entity, label: table.name, flags: 0)))
    try builder.addColumns(
      form: .create, entity: table.entity, rows: table.rows,
      identifiers: .run(index: 0, firstSerial: firstSerial), columns: table.columns)
    return try builder.finish()
  }
}

/// SplitMix64, so that generated data are the same everywhere.
struct SplitMix {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
