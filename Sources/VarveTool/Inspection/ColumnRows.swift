// The first rows of a columns operation as a table.

import VarveFormat

/// Cells of the first block of a columns operation.
struct ColumnRows {
  private let operation: ColumnsOperation
  private let columns: [(name: String, cells: ColumnBlock?)]
  private let names: NameBook

  /// Decodes the first block of each column; a column that cannot be decoded shows as `?`.
  ///
  /// - Throws: What the system cannot read.
  init(
    _ operation: ColumnsOperation, _ logged: LoggedTransaction, _ names: NameBook
  ) throws(FormatError) {
    self.operation = operation
    self.names = names
    var columns: [(name: String, cells: ColumnBlock?)] = []
    for (index, column) in operation.partColumns.enumerated() {
      let name =
        column.attribute == 0
        ? (column.type == .data ? "key" : "id")
        : names.name(operation.entity, column.attribute, column.type)
      let part = operation.firstPart + index
      var block: ColumnBlock?
      if part < logged.parts.count {
        do throws(FormatError) {
          block = try ColumnBlockDecoder.decode(try logged.parts[part].payload())
        } catch  where error.code == .unreadable { throw error } catch {}
      }
      columns.append((name, block))
    }
    self.columns = columns
  }

  private func count(_ rows: Int) -> Int { min(rows, operation.rows(ofBlock: 0)) }

  private func value(_ column: Int, _ row: Int) -> Value? {
    guard let block = columns[column].cells, row < block.rows else { return nil }
    // What is no value shows as `?`, like a block that cannot be decoded.
    return try? block.value(row, target: operation.partColumns[column].target)
  }

  /// The serial of a row when the operation names a run.
  private func serial(_ row: Int) -> String? {
    guard case .run(let index, let first) = operation.identifiers else { return nil }
    return "\(index)/\(first + UInt64(row))"
  }

  func text(rows: Int) -> String {
    let hasSerial = serial(0) != nil
    var table = TablePrinter(
      (hasSerial ? [TablePrinter.Column("  ID")] : [TablePrinter.Column("  ")])
        + columns.indices.map { column in
          let type = operation.partColumns[column].type
          let isNumber = type.isWord && type != .date && type != .reference
          return TablePrinter.Column(columns[column].name, isNumber ? .right : .left)
        })
    for row in 0..<count(rows) {
      let cells = columns.indices.map { column in
        value(column, row).map { ReadableValue.cell($0, names: names) } ?? "?"
      }
      table.add(["  " + (serial(row) ?? "")] + cells)
    }
    let rest = operation.rows - count(rows)
    return table.render() + (rest > 0 ? "  and \(HumanText.grouped(rest)) rows more\n" : "")
  }

  /// Rows as objects: what they are, and the values that can be read.
  func json(rows: Int) -> JSONValue {
    let entity = operation.entity
    let hasSerial = serial(0) != nil
    let first = hasSerial ? 0 : 1
    let keys = NamedOperation.distinct(columns.map(\.name))
    return .array(
      (0..<count(rows)).map { row in
        var object = JSONValue.null
        if case .run(let index, let start) = operation.identifiers {
          let reference = ObjectReference(
            entity: entity, index: index, serial: start + UInt64(row))
          object = .string(ReadableValue.object(reference, names))
        } else if let id = value(0, row) {
          object = .string(ReadableValue.human(id, names: names))
        }
        let values = columns.indices.dropFirst(first).compactMap { column in
          value(column, row).map { (keys[column], ReadableValue.json($0)) }
        }
        return .object([("object", object), ("values", .object(values))])
      })
  }
}
