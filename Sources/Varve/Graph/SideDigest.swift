// Digests of edges, counters, sets, maps, births and aliases. Layer: Graph.

import VarveFormat

/// Sums the terms of what does not lie in columns, by entity.
struct SideDigest {
  private let state: GraphState
  private let names: DigestNames
  private let snapshot: GraphSnapshot
  private var sums: [UInt32: DigestPair] = [:]

  static func sums(_ state: GraphState, _ names: DigestNames) -> [UInt32: DigestPair] {
    var digest = SideDigest(state: state, names: names, snapshot: GraphSnapshot(state))
    digest.addEdges()
    digest.addCounters()
    digest.addSets()
    digest.addMaps()
    digest.addLives()
    return digest.sums
  }

  /// Adds a term: the object's name, what is said of it, and what only the state digest has.
  private mutating func add(
    _ handle: Handle, _ tag: UInt32, _ value: [UInt8], marks: [UInt8]?, inContent: Bool
  ) {
    let oid = names.oid(handle)
    var writer = ByteWriter(capacity: 96 + value.count)
    writer.uint32(oid.entity)
    writer.uint32(tag)
    for index in 0..<16 { writer.uint8(oid.creator[index]) }
    writer.uint64(oid.serial)
    writer.bytes(value)
    let message = writer.finish().array
    if inContent { sums[oid.entity, default: DigestPair()].content &+= Checksum.hash128(message) }
    if let marks {
      sums[oid.entity, default: DigestPair()].state &+= Checksum.hash128(message + marks)
    }
  }

  private func bytes(_ mark: WriteMark) -> [UInt8] {
    var writer = ByteWriter(capacity: 24)
    writer.uint64(mark.stamp)
    let author = names[mark.author]
    for index in 0..<16 { writer.uint8(author[index]) }
    return writer.finish().array
  }

  private func bytes(_ dot: AddDot) -> [UInt8] {
    var writer = ByteWriter(capacity: 32)
    writer.bytes(bytes(WriteMark(stamp: dot.stamp, author: dot.author)))
    writer.uint64(dot.sequence)
    return writer.finish().array
  }

  private mutating func addEdges() {
    for (relation, table) in state.edges {
      var edges: [(EdgeTable.Edge, [AddDot])] = []
      table.dots.forEach { edges.append(($0, $1)) }
      var seen: Set<EdgeTable.Edge> = []
      for (edge, dots) in edges {
        let (source, target) = (Handle(bits: edge.source), Handle(bits: edge.target))
        for dot in dots {
          add(
            source, relation.tag, [0x82] + names.bytes(target), marks: bytes(dot),
            inContent: false)
        }
        guard let from = snapshot.visible(source), let into = snapshot.visible(target),
          seen.insert(EdgeTable.Edge(source: from.bits, target: into.bits)).inserted
        else { continue }
        add(from, relation.tag, [0x82] + names.bytes(into), marks: nil, inContent: true)
      }
    }
  }

  private mutating func addCounters() {
    var list: [(CellKey, Counter)] = []
    state.counters.forEach { list.append(($0, $1)) }
    for (cell, counter) in list where counter.isCounted {
      var writer = ByteWriter(capacity: 16)
      writer.uint8(0x83)
      writer.uint64(UInt64(bitPattern: counter.sum))
      let handle = Handle(bits: cell.handle)
      add(
        handle, cell.tag, writer.finish().array, marks: bytes(counter.reset),
        inContent: isSeen(handle))
    }
  }

  private mutating func addSets() {
    var list: [(MemberKey, [AddDot])] = []
    state.sets.forEach { list.append(($0, $1)) }
    var seen: Set<[UInt8]> = []
    for (key, dots) in list {
      let handle = Handle(bits: key.handle)
      let value = [0x84] + rowForm(key.member)
      for dot in dots { add(handle, key.tag, value, marks: bytes(dot), inContent: false) }
      guard isSeen(handle), let read = read(key.member) else { continue }
      // Two members may read as one object.
      let term = [0x84] + rowForm(read)
      guard seen.insert(names.bytes(handle) + [UInt8(truncatingIfNeeded: key.tag)] + term).inserted
      else { continue }
      add(handle, key.tag, term, marks: nil, inContent: true)
    }
  }

  private mutating func addMaps() {
    var list: [(MemberKey, MapCell)] = []
    state.maps.forEach { list.append(($0, $1)) }
    for (key, cell) in list {
      let handle = Handle(bits: key.handle)
      let front = [0x85] + rowForm(key.member)
      add(
        handle, key.tag, front + (cell.value.map { rowForm($0) } ?? [0]), marks: bytes(cell.mark),
        inContent: false)
      guard isSeen(handle), let value = cell.value, let read = read(value) else { continue }
      add(handle, key.tag, front + rowForm(read), marks: nil, inContent: true)
    }
  }

  /// Whether a program sees an object as itself.
  private func isSeen(_ handle: Handle) -> Bool {
    snapshot.isVisible(handle) && state.resolved(handle) == handle
  }

  /// What a value reads as; nil for a link to what exists and is hidden.
  private func read(_ value: Value) -> Value? {
    guard let target = target(value) else { return value }
    let resolved = state.resolved(target)
    let life = state.address(resolved).flatMap {
      state.tables[$0.table].life(run: $0.run, row: $0.row)
    }
    if life != nil, !snapshot.isVisible(resolved) { return nil }
    guard case .reference(let object) = value, resolved != target else { return value }
    return .reference(
      ObjectReference(
        entity: object.entity, index: UInt32(resolved.creator), serial: resolved.serial))
  }

  private func target(_ value: Value) -> Handle? {
    guard let object = value.object, let table = state.tableIndex(object.entity) else {
      return nil
    }
    switch object.origin {
    case .created(let index, let serial):
      return Handle(table: table, creator: UInt16(truncatingIfNeeded: index), serial: serial)
    case .identity(let hash):
      return state.identities[object.entity]?[hash].map {
        Handle(table: table, creator: CreatorTable.identityIndex, serial: $0)
      }
    }
  }

  /// A value in row form, links by the names of digests.
  private func rowForm(_ value: Value) -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    if let object = value.object {
      writer.uint8(value.typeCode)
      if let target = target(value) {
        writer.bytes(names.bytes(target))
      } else if case .identity(let hash) = object.origin {
        writer.uint32(object.entity)
        writer.bytes(hash.storedBytes)
        writer.uint64(0)
      }
    } else {
      value.write(into: &writer)
    }
    return writer.finish().array
  }

  private mutating func addLives() {
    var births: [(UInt64, WriteMark)] = []
    state.births.forEach { births.append(($0, $1)) }
    for (bits, mark) in births {
      add(Handle(bits: bits), 0, [0x81], marks: bytes(mark), inContent: false)
    }
    var aliases: [(UInt64, Alias)] = []
    state.aliases.forEach { aliases.append(($0, $1)) }
    for (bits, alias) in aliases {
      add(
        Handle(bits: bits), 0, [0x86] + names.bytes(Handle(bits: alias.target)),
        marks: bytes(alias.mark), inContent: false)
    }
  }
}
