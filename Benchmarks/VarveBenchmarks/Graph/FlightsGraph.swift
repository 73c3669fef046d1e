// The flights data as a graph: five entities, and five links from each flight.

import Varve
import VarveFormat
import VarveImport

/// Tables with links, ready for import, and what answers are checked against.
struct FlightsGraph: Sendable {
  struct Link: Sendable {
    var name: String
    var tag: UInt32
    var target: Int
    var inverse: String
    /// Row of the target plus one, or 0.
    var rows: [Int]
  }

  struct Table: Sendable {
    var name: String
    var rows: Int
    var columns: [ImportedColumn]
    var links: [Link] = []

    func column(_ name: String) -> ImportedColumn? { columns.first { $0.name == name } }

    /// The tag of an attribute.
    func tag(_ name: String) -> UInt32 {
      UInt32((columns.firstIndex { $0.name == name } ?? -1) + 1)
    }

    func integers(_ name: String) throws -> [Int64?] {
      guard case .words(let words, let present)? = column(name)?.cells else {
        throw WorkloadError("\(self.name) has no numbers \"\(name)\"")
      }
      return words.indices.map { row in
        present?[row] == false ? nil : Int64(bitPattern: words[row])
      }
    }

    func strings(_ name: String) throws -> [String?] {
      guard case .bytes(let offsets, let heap, let present)? = column(name)?.cells else {
        throw WorkloadError("\(self.name) has no texts \"\(name)\"")
      }
      return (0..<offsets.count - 1).map { row in
        present?[row] == false
          ? nil : String(decoding: heap[Int(offsets[row])..<Int(offsets[row + 1])], as: UTF8.self)
      }
    }
  }

  static let airline = 0
  static let airport = 1
  static let plane = 2
  static let weather = 3
  static let flight = 4
  static let entityNames = ["Airline", "Airport", "Plane", "Weather", "Flight"]
  private static let firstLinkTag: UInt32 = 101
  private static let firstInverseTag: UInt32 = 201

  var tables: [Table]
  /// Objects of all entities.
  var objects: Int { tables.reduce(0) { $0 + $1.rows } }
  var flights: Table { tables[FlightsGraph.flight] }

  /// The tag of an entity.
  static func entity(_ table: Int) -> UInt32 { UInt32(table + 1) }

  init(_ scale: Scale) throws {
    let source = try scale.data.map { try FlightsGraph.read($0) }
    self.init(
      unlinked: source ?? FlightsGraph.generated(flights: scale.isTiny ? 2_000 : 100_000))
    try link()
  }

  private init(unlinked tables: [Table]) { self.tables = tables }

  private static func read(_ directory: String) throws -> [Table] {
    var options = DelimitedOptions()
    options.nilMarkers = ["NA"]
    return try zip(FlightsData.names, entityNames).map { name, entity in
      let path = "\(directory)/\(name).csv.gz"
      let table = try DelimitedImport(ImportSource.file(path), name: name, options: options).table()
      guard table.problems.isEmpty else { throw WorkloadError("\(path): rows were rejected") }
      return Table(name: entity, rows: table.rowsKept, columns: table.columns)
    }
  }

  /// Finds the five links of each flight by the codes that the files have.
  private mutating func link() throws {
    func places(_ table: Int, _ column: String) throws -> [String: Int] {
      var places: [String: Int] = [:]
      for (row, code) in try tables[table].strings(column).enumerated() {
        if let code, places[code] == nil { places[code] = row + 1 }
      }
      return places
    }
    let airlines = try places(FlightsGraph.airline, "carrier")
    let airports = try places(FlightsGraph.airport, "faa")
    let planes = try places(FlightsGraph.plane, "tailnum")
    struct Hour: Hashable {
      var origin: String?
      var time: Int64?
    }
    var hours: [Hour: Int] = [:]
    let weather = tables[FlightsGraph.weather]
    for (row, hour) in zip(try weather.strings("origin"), try weather.integers("time_hour"))
      .enumerated()
    {
      let hour = Hour(origin: hour.0, time: hour.1)
      if hours[hour] == nil { hours[hour] = row + 1 }
    }
    let origins = try flights.strings("origin")
    let times = try flights.integers("time_hour")
    func rows(_ column: String, _ places: [String: Int]) throws -> [Int] {
      try flights.strings(column).map { $0.flatMap { places[$0] } ?? 0 }
    }
    let found: [(name: String, target: Int, inverse: String, rows: [Int])] = [
      ("airline", FlightsGraph.airline, "flights", try rows("carrier", airlines)),
      ("from", FlightsGraph.airport, "departures", try rows("origin", airports)),
      ("to", FlightsGraph.airport, "arrivals", try rows("dest", airports)),
      ("plane", FlightsGraph.plane, "flights", try rows("tailnum", planes)),
      (
        "weather", FlightsGraph.weather, "flights",
        zip(origins, times).map { hours[Hour(origin: $0, time: $1)] ?? 0 }
      ),
    ]
    tables[FlightsGraph.flight].links = found.enumerated().map { place, link in
      Link(
        name: link.name, tag: FlightsGraph.firstLinkTag + UInt32(place), target: link.target,
        inverse: link.inverse, rows: link.rows)
    }
  }

  func link(_ name: String) throws -> Link {
    guard let link = flights.links.first(where: { $0.name == name }) else {
      throw WorkloadError("flights have no link \"\(name)\"")
    }
    return link
  }

  /// Everything is optional, as in the files; the inverse of each link has a name.
  func schema() -> Schema {
    Schema(
      version: 1,
      entities: tables.enumerated().map { place, table in
        Entity(
          table.name, tag: FlightsGraph.entity(place),
          attributes: table.columns.map { column in
            Entity.Attribute(
              column.name, tag: table.tag(column.name), type: FlightsGraph.type(column.type),
              isOptional: true)
          },
          relationships: table.links.enumerated().map { index, link in
            .toOne(
              link.name, tag: link.tag, to: tables[link.target].name, inverse: link.inverse,
              inverseTag: FlightsGraph.firstInverseTag + UInt32(index))
          })
      })
  }

  private static func type(_ type: PhysicalType) -> AttributeType {
    AttributeType.allCases.last { $0.physicalType == type } ?? .data
  }

  /// A transaction that creates all objects of an entity as columns.
  func draft(_ place: Int, firstSerial: UInt64 = 1) throws -> TransactionDraft {
    let table = tables[place]
    var columns = table.columns.map { ColumnInput(table.tag($0.name), $0.type, $0.cells) }
    for link in table.links {
      var present = Presence()
      for row in link.rows { present.append(row > 0) }
      var column = ColumnInput(
        link.tag, .reference, .words(link.rows.map { UInt64($0) }, present: present))
      column.target = FlightsGraph.entity(link.target)
      columns.append(column)
    }
    var builder = TransactionBuilder()
    builder.schemaVersion = 1
    try builder.addColumns(
      form: .create, entity: FlightsGraph.entity(place), rows: table.rows,
      identifiers: .run(index: 0, firstSerial: firstSerial), columns: columns)
    return try builder.finish()
  }
}

// MARK: generated data

extension FlightsGraph {
  /// Tables that look like those of the data set.
  private static func generated(flights: Int) -> [Table] {
    var random = SplitMix(seed: 42)
    func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    let planes = max(flights / 100, 20)
    let hours = max(flights / 15, 20)
    let carriers = ["UA", "AA", "DL", "B6", "EV", "MQ", "US", "WN"]
    let airports = (0..<100).map { "A\($0)" }
    let start: Int64 = 1_356_998_400
    func time(_ hour: Int) -> Int64 { (start + Int64(hour) * 3_600) * 1_000_000_000 }
    let rows = (0..<flights).map { row in (hour: row * hours / flights, delay: pick(200) - 30) }
    return [
      table("Airline", [texts("carrier", carriers), texts("name", carriers.map { "Line \($0)" })]),
      table("Airport", [texts("faa", airports), texts("name", airports.map { "Field \($0)" })]),
      table(
        "Plane",
        [
          texts("tailnum", (0..<planes).map { "N\($0)" }),
          texts("model", (0..<planes).map { "M-\($0 % 127)" }),
          numbers("seats", (0..<planes).map { Int64($0 % 300) }),
        ]),
      table(
        "Weather",
        [
          texts("origin", (0..<hours).map { airports[$0 % 3] }),
          numbers("time_hour", (0..<hours).map(time), .date),
        ]),
      table(
        "Flight",
        [
          numbers("dep_delay", rows.map { $0.delay % 40 == 0 ? nil : Int64($0.delay) }),
          texts("carrier", rows.map { _ in carriers[pick(carriers.count)] }),
          numbers("flight", rows.indices.map { Int64($0 % 3_000) }),
          texts("tailnum", rows.map { _ in pick(20) == 0 ? nil : "N\(pick(planes))" }),
          texts("origin", rows.map { airports[$0.hour % 3] }),
          texts("dest", rows.map { _ in airports[pick(airports.count)] }),
          numbers("distance", rows.map { _ in Int64(pick(3_000)) }),
          numbers("time_hour", rows.map { time($0.hour) }, .date),
        ]),
    ]
  }

  private static func table(_ name: String, _ columns: [ImportedColumn]) -> Table {
    Table(name: name, rows: columns.first?.cells.rows ?? 0, columns: columns)
  }

  private static func numbers(_ name: String, _ values: [Int64?], _ type: PhysicalType = .integer)
    -> ImportedColumn
  {
    var present = Presence()
    for value in values { present.append(value != nil) }
    return ImportedColumn(
      name: name, type: type,
      cells: .words(values.map { UInt64(bitPattern: $0 ?? 0) }, present: present))
  }

  private static func texts(_ name: String, _ values: [String?]) -> ImportedColumn {
    var present = Presence()
    var offsets: [UInt32] = [0]
    var heap: [UInt8] = []
    for value in values {
      present.append(value != nil)
      heap += (value ?? "").utf8
      offsets.append(UInt32(heap.count))
    }
    return ImportedColumn(
      name: name, type: .string, cells: .bytes(offsets: offsets, heap: heap, present: present))
  }
}
