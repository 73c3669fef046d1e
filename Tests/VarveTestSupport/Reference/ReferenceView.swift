// What a program sees of a state: a function of the state and the schema. Layer: test support.

import VarveFormat

/// An object's field.
package struct ReferenceSlot: Hashable, Sendable {
  package var object: ReferenceID
  package var field: UInt32

  package init(_ object: ReferenceID, _ field: UInt32) {
    self.object = object
    self.field = field
  }
}

/// The visible graph.
package struct ReferenceView: Sendable, Equatable {
  package struct UniqueKey: Hashable, Sendable {
    package var rule: ReferenceSchema.Unique
    package var values: [ReferenceValue]
  }

  package struct Entry: Hashable, Sendable {
    package var slot: ReferenceSlot
    package var key: ReferenceValue
  }

  package internal(set) var objects: Set<ReferenceID> = []
  /// Columns that were written and have a value, groups taken apart; references resolved.
  package internal(set) var written: [ReferenceID: [FieldType: ReferenceValue]] = [:]
  /// The same with defaults (R13, R31).
  package internal(set) var attributes: [ReferenceID: [FieldType: ReferenceValue]] = [:]
  /// To-one links to visible objects, pairs and ordered parents among them.
  package internal(set) var links: [ReferenceSlot: ReferenceID] = [:]
  /// By parent and the child's field: in order of keys, else of ids.
  package internal(set) var children: [ReferenceSlot: [ReferenceID]] = [:]
  package internal(set) var pairs: [ReferenceSlot: ReferenceID] = [:]
  package internal(set) var places: [ReferenceSlot: ReferenceValue] = [:]
  package internal(set) var edges: [ReferenceSlot: Set<ReferenceID>] = [:]
  package internal(set) var counters: [ReferenceSlot: Int64] = [:]
  package internal(set) var sets: [ReferenceSlot: Set<ReferenceValue>] = [:]
  package internal(set) var maps: [Entry: ReferenceValue] = [:]
  /// What objects that were merged read as.
  package internal(set) var aliases: [ReferenceID: ReferenceID] = [:]
  /// The earliest claim of each key (Q20).
  package internal(set) var canonical: [UniqueKey: ReferenceID] = [:]
  package internal(set) var violations: [UniqueKey: Set<ReferenceID>] = [:]
  /// Links that are cut because they close a cycle (R25).
  package internal(set) var cuts: Set<ReferenceSlot> = []

  package init(_ state: ReferenceState, _ schema: ReferenceSchema) {
    var reader = ReferenceReader(state, schema)
    reader.resolveAliases()
    reader.cutCycles()
    reader.hide()
    reader.readColumns()
    reader.readPlaces()
    reader.readElements()
    reader.readUniqueness()
    self = reader.view
  }

  fileprivate init() {}
}

/// Works a view out, step by step.
private struct ReferenceReader {
  private let state: ReferenceState
  private let schema: ReferenceSchema
  private let lives: [ReferenceID: ReferenceState.Life]
  /// Registers by object.
  private let registers: [ReferenceID: [(field: ReferenceField, write: ReferenceState.Write)]]
  var view = ReferenceView()

  init(_ state: ReferenceState, _ schema: ReferenceSchema) {
    self.state = state
    self.schema = schema
    lives = state.objects(schema)
    registers = Dictionary(grouping: state.registers) { $0.key.object }
      .mapValues { $0.map { ($0.key.field, $0.value) } }
  }

  // MARK: aliases (R27)

  private func next(_ id: ReferenceID) -> ReferenceID? {
    let target = state.registers[ReferenceRegister(id, .alias)]?.value.target
    return target?.entity == id.entity ? target : nil
  }

  mutating func resolveAliases() {
    for id in state.registers.keys.filter({ $0.field == .alias }).map(\.object) {
      var path = [id]
      while let step = next(path[path.count - 1]) {
        if let start = path.firstIndex(of: step) {
          view.aliases[id] = path[start...].min()
          break
        }
        path.append(step)
      }
      if view.aliases[id] == nil { view.aliases[id] = path[path.count - 1] }
      if view.aliases[id] == id { view.aliases[id] = nil }
    }
  }

  private func resolve(_ id: ReferenceID) -> ReferenceID { view.aliases[id] ?? id }

  private func isAlive(_ id: ReferenceID) -> Bool {
    view.aliases[id] == nil && lives[id]?.isAlive ?? false
  }

  // MARK: owners (Q19)

  /// The register that holds a link: the later one when there are several.
  private func link(_ id: ReferenceID, _ relation: ReferenceSchema.Relationship)
    -> ReferenceState.Write?
  {
    let fields: [ReferenceField] =
      relation.kind == .ordered
      ? [.place(relation.field)]
      : [.reference, .identityReference].map { .column(FieldType(relation.field, $0)) }
    return fields.compactMap { state.registers[ReferenceRegister(id, $0)] }
      .max { $0.mark < $1.mark }
  }

  /// Owners by child, cut links left out.
  private func owners(_ relation: ReferenceSchema.Relationship)
    -> [ReferenceID: (owner: ReferenceID, mark: ReferenceMark)]
  {
    var owners: [ReferenceID: (owner: ReferenceID, mark: ReferenceMark)] = [:]
    for id in lives.keys where id.entity == relation.entity && isAlive(id) {
      guard let write = link(id, relation), let target = write.value.target,
        !view.cuts.contains(ReferenceSlot(id, relation.field))
      else { continue }
      owners[id] = (resolve(target), write.mark)
    }
    return owners
  }

  private var cascades: [ReferenceSchema.Relationship] {
    schema.relationships.filter { $0.isCascade && $0.kind != .manyToMany }
  }

  /// In every cycle of a relation from an entity to itself the link with the largest stamp and
  /// author is cut; of those that one transaction wrote, that of the last object.
  mutating func cutCycles() {
    for relation in cascades where relation.entity == relation.target {
      let owners = owners(relation)
      for start in owners.keys {
        var path: [ReferenceID] = []
        var id = start
        while let owner = owners[id]?.owner, !path.contains(id) {
          path.append(id)
          id = owner
        }
        guard let first = path.firstIndex(of: id) else { continue }
        let last = path[first...].max { a, b in
          guard let x = owners[a], let y = owners[b] else { return false }
          if x.mark.isWritten(before: y.mark) { return true }
          return !y.mark.isWritten(before: x.mark) && a < b
        }
        if let last { view.cuts.insert(ReferenceSlot(last, relation.field)) }
      }
    }
  }

  /// The least set that holds what is dead and what an owner in it owns.
  mutating func hide() {
    var hidden = Set(lives.keys.filter { !isAlive($0) })
    let owners = cascades.map { self.owners($0).mapValues(\.owner) }
    while true {
      let more = owners.flatMap { owners in
        owners.filter { hidden.contains($0.value) && !hidden.contains($0.key) }.keys
      }
      if more.isEmpty { break }
      hidden.formUnion(more)
    }
    view.objects = Set(lives.keys).subtracting(hidden)
  }

  // MARK: values

  /// Columns as they read with their marks: the later of column and group.
  private func columns(_ id: ReferenceID)
    -> [FieldType: (mark: ReferenceMark, value: ReferenceValue)]
  {
    var columns: [FieldType: (mark: ReferenceMark, value: ReferenceValue)] = [:]
    func offer(_ column: FieldType, _ mark: ReferenceMark, _ value: ReferenceValue) {
      if let old = columns[column], old.mark > mark { return }
      columns[column] = (mark, value)
    }
    for (field, write) in registers[id] ?? [] {
      switch (field, write.value) {
      case (.column(let column), let value): offer(column, write.mark, value)
      default: break
      }
    }
    return columns
  }

  /// A reference as it reads: nil when its target exists and is not visible.
  private func read(_ value: ReferenceValue) -> ReferenceValue {
    guard let raw = value.target else { return value }
    let target = resolve(raw)
    if lives[target] != nil, !view.objects.contains(target) { return .none }
    switch value {
    case .object(let type, _): return .object(type, target)
    case .place(_, let key): return .place(target, key)
    default: return value
    }
  }

  mutating func readColumns() {
    for id in view.objects {
      var values: [FieldType: ReferenceValue] = [:]
      let columns = columns(id)
      for (column, entry) in columns {
        var value = read(entry.value)
        if view.cuts.contains(ReferenceSlot(id, column.field)), value.target != nil {
          value = .none
        }
        let relation = schema.relationship(id.entity, column.field)
        if let relation, relation.kind == .oneToOne, column.type == .reference {
          value = pair(id, relation, entry.mark, entry.value)
        }
        if value != .none { values[column] = value }
      }
      view.written[id] = values
      addDefaults(id, values, columns.keys)
      for relation in schema.relationships where relation.entity == id.entity {
        guard relation.kind == .toOne || relation.kind == .oneToOne,
          let write = link(id, relation), case .object(let type, _) = write.value,
          let target = values[FieldType(relation.field, type)]?.target,
          view.objects.contains(target)
        else { continue }
        view.links[ReferenceSlot(id, relation.field)] = target
        if relation.kind == .toOne {
          view.children[ReferenceSlot(target, relation.field), default: []].append(id)
        } else {
          view.pairs[ReferenceSlot(id, relation.field)] = target
        }
      }
    }
    for slot in view.children.keys { view.children[slot]?.sort() }
  }

  private mutating func addDefaults(
    _ id: ReferenceID, _ values: [FieldType: ReferenceValue],
    _ known: Dictionary<FieldType, (mark: ReferenceMark, value: ReferenceValue)>.Keys
  ) {
    view.attributes[id] = values
    for (column, value) in schema.defaults where column.entity == id.entity {
      let isMissing = !known.contains(column.field) || schema.required.contains(column)
      guard values[column.field] == nil, isMissing else { continue }
      var writer = ByteWriter()
      value.write(into: &writer)
      view.attributes[id]?[column.field] = .plain(writer.finish().array)
    }
  }

  /// The partner, when both ends were written by one operation and name each other (R18).
  private func pair(
    _ id: ReferenceID, _ relation: ReferenceSchema.Relationship, _ mark: ReferenceMark,
    _ value: ReferenceValue
  ) -> ReferenceValue {
    guard let target = value.target, view.objects.contains(target) else { return .none }
    let column = FieldType(relation.inverse, .reference)
    guard let other = state.registers[ReferenceRegister(target, .column(column))],
      other.mark == mark, other.value.target == id
    else { return .none }
    return value
  }

  /// Ordered children: by key, then by id (Q22).
  mutating func readPlaces() {
    var lists: [ReferenceSlot: [(key: [UInt8], id: ReferenceID)]] = [:]
    for id in view.objects {
      for case (.place(let field), let write) in registers[id] ?? [] {
        let slot = ReferenceSlot(id, field)
        let value = read(write.value)
        guard case .place(let parent, let key) = value, !view.cuts.contains(slot) else { continue }
        view.places[slot] = value
        if view.objects.contains(parent) {
          view.links[slot] = parent
          lists[ReferenceSlot(parent, field), default: []].append((key, id))
        }
      }
    }
    for (slot, list) in lists {
      view.children[slot, default: []] += list.sorted {
        $0.key != $1.key ? $0.key.lexicographicallyPrecedes($1.key) : $0.id < $1.id
      }.map(\.id)
    }
  }

  mutating func readElements() {
    for (element, dots) in state.elements where !dots.isEmpty {
      if element.isEdge {
        guard let raw = element.value.target else { continue }
        let (object, target) = (resolve(element.object), resolve(raw))
        guard view.objects.contains(object), view.objects.contains(target) else { continue }
        view.edges[ReferenceSlot(object, element.field), default: []].insert(target)
      } else if view.objects.contains(element.object), read(element.value) != .none {
        let slot = ReferenceSlot(element.object, element.field)
        view.sets[slot, default: []].insert(read(element.value))
      }
    }
    for (counter, count) in state.counters where view.objects.contains(counter.object) {
      view.counters[ReferenceSlot(counter.object, counter.field)] = count.total
    }
    for id in view.objects {
      for case (.entry(let field, let key), let write) in registers[id] ?? [] {
        let value = read(write.value)
        if value == .none { continue }
        view.maps[.init(slot: ReferenceSlot(id, field), key: key)] = value
      }
    }
  }

  /// The earliest claim is canonical; a claim is as old as its latest part.
  mutating func readUniqueness() {
    var claims: [ReferenceView.UniqueKey: [(mark: ReferenceMark, id: ReferenceID)]] = [:]
    for rule in schema.unique {
      for id in view.objects where id.entity == rule.entity {
        let columns = columns(id)
        let parts = rule.fields.compactMap { field in
          columns.filter { $0.key.field == field && $0.value.value != .none }
            .max { $0.value.mark < $1.value.mark }?.value
        }
        guard parts.count == rule.fields.count, let mark = parts.map(\.mark).max() else {
          continue
        }
        claims[.init(rule: rule, values: parts.map(\.value)), default: []].append((mark, id))
      }
    }
    for (key, list) in claims {
      let sorted = list.sorted { $0.mark != $1.mark ? $0.mark < $1.mark : $0.id < $1.id }
      view.canonical[key] = sorted.first?.id
      if sorted.count > 1 { view.violations[key] = Set(sorted.dropFirst().map(\.id)) }
    }
  }
}
