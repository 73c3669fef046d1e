// What a transaction did, in counts and in a line.

import Varve
import VarveFormat

/// Header and counts of one transaction.
struct TransactionFacts {
  var header: TransactionHeader
  /// How often each operation occurs; columnar rows count one by one.
  var operations: [(name: String, count: UInt64)] = []
  /// Objects created, by entity.
  var created: [(entity: UInt32, rows: UInt64)] = []
  var unknownOperations: UInt64 = 0
  /// What stopped the decoding of operations.
  var problem: FormatError?

  /// `checksParts` also hashes the parts, whose payloads must be there.
  init(_ logged: LoggedTransaction, checksParts: Bool = false) throws(FormatError) {
    header = try logged.transaction.decoded().header
    var counts = CountList<String>()
    var rows = CountList<UInt32>()
    var unknown: UInt64 = 0
    do throws(FormatError) {
      try OperationStream.forEach(logged.transaction, parts: logged.parts) { operation in
        switch operation {
        case .columns(let columns):
          counts.add(columns.form.name, UInt64(columns.rows))
          if columns.form == .create { rows.add(columns.entity, UInt64(columns.rows)) }
        case .create(let object, _, _):
          counts.add("create", 1)
          rows.add(object.entity, 1)
        case .unknown:
          counts.add(NamedOperation.word(operation), 1)
          unknown += 1
        default: counts.add(NamedOperation.word(operation), 1)
        }
      }
    } catch {
      if error.code == .unreadable { throw error }
      problem = error
    }
    if checksParts, problem == nil { problem = try badPart(logged) }
    operations = counts.list.map { ($0.key, $0.count) }
    created = rows.list.map { ($0.key, $0.count) }
    unknownOperations = unknown
  }

  private func badPart(_ logged: LoggedTransaction) throws(FormatError) -> FormatError? {
    for (part, entry) in zip(logged.parts, header.parts) {
      do throws(FormatError) {
        guard Checksum.hash128(try part.payload()) != entry.hash else { continue }
      } catch {
        if error.code == .unreadable { throw error }
        return error.at(offset: part.offset)
      }
      return FormatError(
        .badPart, "the hash of a part of transaction \(header.sequence) does not match",
        offset: part.offset)
    }
    return nil
  }

  /// What `problem` means for the store.
  func finding(_ logged: LoggedTransaction) -> Finding? {
    problem.map {
      Finding(
        $0.code.description, .corruption, file: logged.path,
        offset: $0.offset ?? logged.frameOffset, sequence: logged.transaction.sequence, $0.message,
        fix: Finding.recoverFix)
    }
  }

  func count(_ name: String) -> UInt64 { operations.first { $0.name == name }?.count ?? 0 }

  /// `+3,008 ~2 -1`: created, changed, deleted.
  var changes: String {
    let deleted = count("delete")
    let others = ["create", "delete", "schema"]
    let changed = operations.filter { !others.contains($0.name) }.reduce(0) { $0 + $1.count }
    var words = ["+\(HumanText.grouped(count("create")))"]
    if changed > 0 { words.append("~\(HumanText.grouped(changed))") }
    if deleted > 0 { words.append("-\(HumanText.grouped(deleted))") }
    return words.joined(separator: " ")
  }
}

/// Counts by key in the order of first appearance.
private struct CountList<Key: Hashable> {
  private(set) var list: [(key: Key, count: UInt64)] = []
  private var places: [Key: Int] = [:]

  mutating func add(_ key: Key, _ count: UInt64) {
    if let place = places[key] {
      list[place].count += count
    } else {
      places[key] = list.count
      list.append((key, count))
    }
  }
}
