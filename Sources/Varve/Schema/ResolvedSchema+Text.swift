// The schema as a listing for people. Layer: Schema.

import VarveFormat

extension ResolvedSchema: CustomStringConvertible {
  /// A listing: a heading for each entity, below it a line for each property and rule, at the end
  /// the contradictions.
  package var description: String {
    var text = ""
    if version != 0 || !versionLabel.isEmpty {
      let label = versionLabel.isEmpty ? "" : " \"\(SchemaText.visible(versionLabel))\""
      text += "version \(version)\(label)\n"
    }
    for entity in entities {
      if !text.isEmpty { text += "\n" }
      text += heading(entity) + "\n"
      let rows = properties(of: entity)
      let widths = (0..<2).map { column in rows.map { $0.cells[column].count }.max() ?? 0 }
      for row in rows {
        let cells = zip(row.cells, widths).map { cell, width in
          cell + String(repeating: " ", count: width - cell.count)
        }
        text += "  \(cells[0])  \(cells[1])  \(row.text)\n"
      }
      for rule in rules(of: entity) { text += "  \(rule)\n" }
    }
    if !problems.isEmpty { text += "\n" }
    for problem in problems {
      text += "problem \(problem.kind.rawValue): \(SchemaText.visible(problem.sentence))\n"
    }
    return text
  }

  /// One line: name and tag, then what it is.
  private struct Row {
    var tag: UInt32
    var order: Int
    var cells: [String]
    var text: String
  }

  private func heading(_ entity: EntityRule) -> String {
    let words = [
      entity.isIdentity ? "identity" : nil, entity.updatesRevive ? "updates revive" : nil,
      entity.isRetired ? "retired" : nil,
    ].compactMap { $0 }
    let tail = words.isEmpty ? "" : " " + words.joined(separator: ", ")
    return "\(SchemaText.visible(name(entity.tag))) #\(entity.tag)\(tail)"
  }

  /// Attributes, relationships and ways back by tag.
  private func properties(of entity: EntityRule) -> [Row] {
    var rows = entity.attributes.map { attribute in
      Row(
        tag: attribute.tag, order: 0,
        cells: [SchemaText.label(attribute.label, attribute.tag), "#\(attribute.tag)"],
        text: text(attribute, entity))
    }
    rows += entity.relationships.map { link in
      Row(
        tag: link.tag, order: 1, cells: [SchemaText.label(link.label, link.tag), "#\(link.tag)"],
        text: text(link))
    }
    rows += inverses(of: entity.tag).compactMap { link in
      guard link.inverse != 0, inverse(entity.tag, link.inverse) == link,
        entity.relationship(link.inverse) == nil
      else { return nil }
      let source = "\(name(link.entity)).\(name(link.entity, link.tag))"
      return Row(
        tag: link.inverse, order: 2,
        cells: [SchemaText.label(link.inverseLabel, link.inverse), "#\(link.inverse)"],
        text: "<- \(SchemaText.visible(source))\(link.kind == .oneToOne ? ", one-to-one" : "")")
    }
    return rows.enumerated().sorted { a, b in
      (a.element.tag, a.element.order, a.offset) < (b.element.tag, b.element.order, b.offset)
    }.map(\.element)
  }

  private func text(_ attribute: AttributeRule, _ entity: EntityRule) -> String {
    var words = [attribute.typeText]
    if attribute.isOptional { words.append("optional") }
    if let value = attribute.defaultValue { words.append("= \(SchemaText.spelling(value))") }
    if attribute.isOrdered { words.append("ordered") }
    if attribute.isLocalOnly { words.append("local only") }
    for index in entity.indexes where index.attributes == [attribute.tag] {
      words.append(index.kind == .hash ? "indexed by hash" : "indexed")
    }
    if let group = entity.group(ofAttribute: attribute.tag) {
      words.append("in \(SchemaText.label(group.label, group.tag))")
    }
    if attribute.isRetired { words.append("retired") }
    return words.joined(separator: ", ")
  }

  private func text(_ link: RelationshipRule) -> String {
    var words = ["-> \(SchemaText.visible(name(link.target)))", link.kind.word]
    if !link.isOptional && link.kind != .manyToMany { words.append("required") }
    if link.inverse != 0 {
      words.append("inverse \(SchemaText.label(link.inverseLabel, link.inverse)) #\(link.inverse)")
    }
    if link.kind != .manyToMany { words.append("on delete \(link.deleteRule.word)") }
    if link.isOwner { words.append("owned") }
    if link.isRetired { words.append("retired") }
    return words.joined(separator: ", ")
  }

  /// The key, groups and indexes of several attributes.
  private func rules(of entity: EntityRule) -> [String] {
    let list = { (tags: [UInt32]) in
      "(" + tags.map { SchemaText.visible(self.name(entity.tag, $0)) }.joined(separator: ", ") + ")"
    }
    var lines: [String] = []
    if let key = entity.uniqueness { lines.append("key \(list(key.attributes)), \(key.mode.word)") }
    for group in entity.groups {
      let label = SchemaText.label(group.label, group.tag)
      lines.append("group \(label) #\(group.tag) \(list(group.attributes))")
    }
    for index in entity.indexes where index.attributes.count != 1 {
      lines.append(
        "index \(SchemaText.visible(index.label)) \(list(index.attributes)), \(index.kind.word)")
    }
    return lines
  }
}

extension AttributeRule {
  /// The type with the form: `string`, `counter`, `set of integer`.
  package var typeText: String {
    switch form {
    case .scalar: type.name
    case .counter: type == .integer ? "counter" : "counter of \(type.name)"
    case .set: "set of \(type.name)"
    case .map: "map of \(type.name)"
    }
  }
}

extension DeleteRule {
  /// The word for people.
  package var word: String { self == .noAction ? "no action" : String(describing: self) }
}

extension UniquenessMode {
  /// The word for people.
  package var word: String { String(describing: self) }
}

extension IndexKind {
  /// The word for people.
  package var word: String { String(describing: self) }
}

/// Spellings of a listing.
private enum SchemaText {
  /// A label with its control characters escaped, or the number of what has none.
  static func label(_ label: String, _ tag: UInt32) -> String {
    label.isEmpty ? "#\(tag)" : visible(label)
  }

  static func visible(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A value as `Formats/Dump.md` spells it.
  static func spelling(_ value: Value) -> String {
    var writer = ByteWriter()
    ValueText.write(value, into: &writer)
    return writer.text
  }
}
