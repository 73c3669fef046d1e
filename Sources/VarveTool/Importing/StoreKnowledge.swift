// What a store knows before an import: names, types and the serials that are taken. Logs tell, and
// where their beginning was retired (Q25) the baselines.

import Varve
import VarveFormat

/// Names and serials, from a walk that decodes no column.
struct StoreKnowledge {
  private struct Key: Hashable {
    /// Nil is the replica of a store that is not there yet.
    var replica: ReplicaID?
    var entity: UInt32
  }

  var names = NameBook()
  private var lastSerials: [Key: UInt64] = [:]
  private(set) var hasDamage = false

  init() {}

  /// Reads the directories of baselines and walks all logs.
  init(_ set: LogSet, disk: any Disk) throws {
    for entry in try BaselineCheck(set, disk: disk).entries {
      if let directory = entry.directory { learn(directory) }
    }
    for log in set.logs {
      var indices = IndexBook(own: log.replica)
      for place in log.places {
        let cursor = try SegmentWalk(place, disk: disk, keepsColumns: false)
        defer { cursor.close() }
        while let event = try cursor.next() {
          switch event {
          case .unit(let unit, _): try learn(unit, &indices)
          case .hint(let frame): names.learn(frame)
          // How the newest segment ends is judged when the log is opened.
          case .damage: hasDamage = hasDamage || !place.isNewest
          case .unknown, .seal: break
          }
        }
      }
    }
  }

  private mutating func learn(_ unit: Unit, _ indices: inout IndexBook) throws {
    for transaction in unit.transactions {
      indices.learn(try transaction.decoded().header.dictionary)
      try OperationStream.forEach(transaction, parts: unit.parts) { operation in
        switch operation {
        case .schema(let schema): names.learn(schema)
        case .create(let object, _, _): note(object, indices)
        case .columns(let columns) where columns.form == .create: note(columns, indices)
        default: break
        }
      }
    }
  }

  private mutating func learn(_ directory: BaselineDirectory) {
    for declaration in directory.schema { names.learn(declaration.operation) }
    for table in directory.tables {
      for run in table.runs {
        // Creator 0 stands for identities, which have no serials that anybody gives.
        guard let place = Int(exactly: run.creator), directory.creators.indices.contains(place - 1),
          case .replica(let replica) = directory.creators[place - 1].name
        else { continue }
        note(replica, table.entity, run.rows)
      }
    }
  }

  private mutating func note(_ object: ObjectReference, _ indices: IndexBook) {
    guard case .created(let index, let serial) = object.origin, let replica = indices[index] else {
      return
    }
    note(replica, object.entity, serial)
  }

  private mutating func note(_ columns: ColumnsOperation, _ indices: IndexBook) {
    guard case .run(let index, let first) = columns.identifiers, let replica = indices[index] else {
      return
    }
    note(replica, columns.entity, first + UInt64(columns.rows) - 1)
  }

  /// The replica created an object with this serial.
  mutating func note(_ replica: ReplicaID?, _ entity: UInt32, _ serial: UInt64) {
    let key = Key(replica: replica, entity: entity)
    lastSerials[key] = max(lastSerials[key] ?? 0, serial)
  }

  /// The largest serial that the replica used; 0 when none.
  func lastSerial(_ replica: ReplicaID?, _ entity: UInt32) -> UInt64 {
    lastSerials[Key(replica: replica, entity: entity)] ?? 0
  }
}
