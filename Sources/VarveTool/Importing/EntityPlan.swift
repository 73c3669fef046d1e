// How the columns of a table become attributes, and what must be declared for that.

import Varve
import VarveFormat
import VarveImport

/// A column of an import as an attribute of the store.
struct PlannedColumn {
  var name: String
  var tag: UInt32
  var type: PhysicalType
  var isOptional: Bool
  /// Whether this import declares it.
  var isNew: Bool
}

/// An entity of an import with its columns.
struct EntityPlan {
  var label: String
  var tag: UInt32
  var isNew: Bool
  var columns: [PlannedColumn] = []
  /// What must be declared before the rows.
  var schema: [SchemaOperation] = []
  var warnings: [String] = []

  /// Fits a table into what the store knows.
  ///
  /// - Throws: `tagCollision` when two names have the same tag.
  init(
    _ table: ImportedTable, names: NameBook, registry: inout InferredTagRegistry
  ) throws(ImportError) {
    label = table.name
    guard !label.isEmpty, label.utf8.count <= Limits.labelBytesMax else {
      throw ImportError(
        .badOption,
        "the name of an entity has 1 to \(Limits.labelBytesMax) bytes; give one with --entity")
    }
    let known = names.entity(named: label)
    if let known {
      tag = known.tag
      isNew = false
    } else {
      tag = try registry.entity(label)
      if let other = names.entity(tag), !other.label.isEmpty {
        throw EntityPlan.collision(other.label, label, tag)
      }
      isNew = true
      schema.append(.entity(entity: tag, label: label, flags: 0))
    }
    for column in table.columns {
      try plan(column, known?.attributes ?? [], &registry)
    }
  }

  private mutating func plan(
    _ column: ImportedColumn, _ attributes: [AttributeFacts],
    _ registry: inout InferredTagRegistry
  ) throws(ImportError) {
    let hasNil = column.cells.present != nil
    let known = attributes.first { $0.label == column.name }
    var planned = PlannedColumn(
      name: column.name, tag: 0, type: column.type, isOptional: hasNil, isNew: true)
    if let known {
      planned.tag = known.tag
      if known.types.contains(column.type) {
        let wasOptional = known.flags & SchemaOperation.AttributeFlag.optional != 0
        planned.isOptional = hasNil || wasOptional
        planned.isNew = false
        if hasNil && !wasOptional { declare(planned) }
      } else {
        let before = known.types.map(\.name).joined(separator: ", ")
        warnings.append(
          "\(label).\(column.name) is \(before) in the store and \(column.type.name) here: "
            + "the values go into a second column; give --type "
            + "\(column.name)=\(known.types.first?.name ?? "") to keep one")
        declare(planned)
      }
    } else {
      planned.tag = try registry.attribute(entity: label, name: column.name)
      if let other = attributes.first(where: { $0.tag == planned.tag }) {
        throw EntityPlan.collision(other.label, column.name, planned.tag)
      }
      declare(planned)
    }
    columns.append(planned)
  }

  private mutating func declare(_ column: PlannedColumn) {
    schema.append(
      .attribute(
        entity: tag, attribute: column.tag, type: column.type, label: column.name,
        flags: column.isOptional ? SchemaOperation.AttributeFlag.optional : 0, defaultValue: nil))
  }

  private static func collision(_ a: String, _ b: String, _ tag: UInt32) -> ImportError {
    ImportError(
      .tagCollision,
      "the names \"\(a)\" and \"\(b)\" have the same inferred tag \(tag); rename one of them")
  }
}
