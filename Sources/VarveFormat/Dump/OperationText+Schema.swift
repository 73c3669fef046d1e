// The fields of schema declarations and of columns operations. See Formats/Dump.md, "Operations".

extension OperationText {
  /// The fields of a schema declaration, inside an operation or in a SCHEMA frame.
  package static func schemaFields(_ declaration: SchemaOperation) -> [DumpField] {
    switch declaration {
    case .entity(let entity, let label, let flags):
      return declares("entity", entity) + [labelField(label), DumpField("flags", .number(flags))]
    case .attribute(let entity, let attribute, let type, let label, let flags, let value):
      let fields =
        declares("attribute", entity) + [
          DumpField("attribute", .number(attribute)), DumpField("type", .word(type.name)),
          labelField(label), DumpField("flags", .number(flags)),
        ]
      return fields + (value.map { [DumpField("default", .value($0))] } ?? [])
    case .relationship(let link):
      return declares("relationship", link.entity) + [
        DumpField("attribute", .number(link.attribute)), labelField(link.label),
        DumpField("relation", .number(link.kind)), DumpField("target", .number(link.target)),
        DumpField("inverse", .number(link.inverse)),
        DumpField("inverseLabel", .string(link.inverseLabel)),
        DumpField("rule", .number(link.deleteRule)), DumpField("flags", .number(link.flags)),
      ]
    case .uniqueness(let entity, let mode, let attributes):
      return declares("uniqueness", entity) + [
        DumpField("mode", .number(mode)), DumpField("fields", tagList(attributes)),
      ]
    case .group(let entity, let group, let label, let attributes):
      return declares("group", entity) + [
        DumpField("group", .number(group)), labelField(label),
        DumpField("fields", tagList(attributes)),
      ]
    case .index(let entity, let label, let kind, let attributes):
      return declares("index", entity) + [
        labelField(label), DumpField("index", .number(kind)),
        DumpField("fields", tagList(attributes)),
      ]
    case .retire(let entity, let attribute):
      return declares("retire", entity) + [DumpField("attribute", .number(attribute))]
    case .version(let version, let label):
      return [
        DumpField("declares", .word("version")), DumpField("version", .number(version)),
        labelField(label),
      ]
    }
  }

  private static func declares(_ what: String, _ entity: UInt32) -> [DumpField] {
    [DumpField("declares", .word(what)), DumpField("entity", .number(entity))]
  }

  private static func labelField(_ label: String) -> DumpField {
    DumpField("label", .string(label))
  }

  /// The fields of a columns operation, without its columns.
  static func columnsFields(_ columns: ColumnsOperation) -> [DumpField] {
    let identifiers =
      switch columns.identifiers {
      case .run(let index, let first): "run:\(index):\(first)"
      case .references: "references"
      case .identities: "identities"
      }
    return [
      DumpField("form", .word(columns.form.name)), DumpField("entity", .number(columns.entity)),
      DumpField("rows", .number(columns.rows)), DumpField("blockRows", .number(columns.blockRows)),
      DumpField("ids", .word(identifiers)), DumpField("first", .number(columns.firstPart)),
      DumpField("columns", .number(columns.columns.count)),
    ]
  }
}
