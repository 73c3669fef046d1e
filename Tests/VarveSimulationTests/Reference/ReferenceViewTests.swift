// What holds of every view, and rule by rule what small histories read as.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Reference views")
struct ReferenceViewTests {
  @Test("pairs are symmetric, lists inverse to links, no owner hidden, no cycle, one canonical")
  func invariants() {
    var random = TestRun.random()
    for _ in 0..<60 * TestRun.scale {
      let seed = random.word()
      let history = ReferenceHistory(seed: seed, ReferenceTests.options(&random))
      let state = ReferenceDefinition.state(history.transactions)
      let schema = ReferenceSchema(state)
      ReferenceViewTests.check(ReferenceView(state, schema), schema, "seed \(seed)")
    }
  }

  @Test("histories bring every operation of a graph, and everything that a view can show")
  func completeness() {
    // The same in every run: what chance may leave out must not fail a build.
    var random = FormatRandom(seed: 1)
    var opcodes: Set<UInt8> = []
    var seen: [String: Int] = [:]
    for _ in 0..<60 {
      let history = ReferenceHistory(seed: random.word(), ReferenceTests.options(&random))
      let state = ReferenceDefinition.state(history.transactions)
      let view = ReferenceView(state, ReferenceSchema(state))
      opcodes.formUnion(history.transactions.flatMap(\.operations).map(\.opcode))
      seen["pairs", default: 0] += view.pairs.count
      seen["children", default: 0] += view.children.count
      seen["cuts", default: 0] += view.cuts.count
      seen["hidden", default: 0] += state.lives.count - view.objects.count
      seen["aliases", default: 0] += view.aliases.count
      seen["violations", default: 0] += view.violations.count
      seen["edges", default: 0] += view.edges.count
      seen["births", default: 0] += state.births.count
      seen["counters", default: 0] += view.counters.count
      seen["sets", default: 0] += view.sets.count
      seen["maps", default: 0] += view.maps.count
    }
    #expect(seen.values.allSatisfy { $0 > 0 }, "\(seen)")
    let graph: Set<UInt8> = Set(1...0x13)
    #expect(opcodes.isSuperset(of: graph), "missing \(graph.subtracting(opcodes).sorted())")
  }

  private static func check(_ view: ReferenceView, _ schema: ReferenceSchema, _ note: String) {
    for (slot, partner) in view.pairs {
      let inverse = schema.relationship(slot.object.entity, slot.field)?.inverse ?? 0
      #expect(view.pairs[ReferenceSlot(partner, inverse)] == slot.object, "\(note)")
    }
    for (slot, list) in view.children {
      #expect(Set(list).count == list.count && view.objects.contains(slot.object), "\(note)")
      for child in list {
        #expect(view.links[ReferenceSlot(child, slot.field)] == slot.object, "\(note)")
      }
    }
    for (slot, target) in view.links {
      #expect(view.objects.contains(slot.object) && view.objects.contains(target), "\(note)")
    }
    for start in view.objects {
      var id = start
      var steps = 0
      while let parent = view.links[ReferenceSlot(id, 10)], steps <= view.objects.count {
        id = parent
        steps += 1
      }
      #expect(steps <= view.objects.count, "a cycle; \(note)")
    }
    for id in view.aliases.keys { #expect(!view.objects.contains(id), "\(note)") }
    for (key, others) in view.violations {
      #expect(view.canonical[key].map { !others.contains($0) } ?? false, "\(note)")
    }
  }

  // MARK: one rule at a time

  /// A log of one replica, an operation in each transaction.
  private static func state(_ operations: [Operation]) -> ReferenceState {
    let line = ReferenceLine(ReplicaID([UInt8](repeating: 7, count: 16)))
    let list = (ReferenceHistory.declarations.map { .schema($0) } + operations).enumerated()
      .map { index, operation in
        ReferenceTransaction(
          line: line, sequence: UInt64(index + 1), chain: .zero,
          stamp: Stamp(milliseconds: UInt64(index + 1)), dependencies: [:], dictionary: [line],
          operations: [operation])
      }
    let state = ReferenceDefinition.state(list)
    #expect(ReferenceTests.graph(list.reversed()).state == state)
    return state
  }

  private static func view(_ operations: [Operation]) -> ReferenceView {
    let state = state(operations)
    return ReferenceView(state, ReferenceSchema(state))
  }

  private static let line = ReferenceLine(ReplicaID([UInt8](repeating: 7, count: 16)))
  private static let a = ObjectReference(entity: 1, serial: 1)
  private static let b = ObjectReference(entity: 1, serial: 2)
  private static let c = ObjectReference(entity: 1, serial: 3)
  private static let idA = ReferenceID(entity: 1, line, serial: 1)
  private static let idB = ReferenceID(entity: 1, line, serial: 2)
  private static let idC = ReferenceID(entity: 1, line, serial: 3)
  private static let three: [Operation] = [a, b, c].map { .create($0, key: [], []) }

  @Test("two columns of one tag are independent, and unset names one of them (Q7)")
  func columns() {
    let view = Self.view(
      Self.three + [
        .set(Self.a, [FieldValue(1, .integer(5)), FieldValue(1, .string("x"))]),
        .unset(Self.a, [FieldType(1, .string)]),
      ])
    #expect(view.written[Self.idA]?.keys.map(\.description) == ["1:integer"])
    #expect(view.attributes[Self.idB]?[FieldType(1, .integer)] == .plain([2, 84]))
  }

  @Test("a deleted owner hides what it owns, and undelete brings it back (R24)")
  func cascade() {
    let tree: [Operation] =
      Self.three + [
        .set(Self.b, [FieldValue(10, .reference(Self.a))]),
        .set(Self.c, [FieldValue(10, .reference(Self.b))]), .delete(Self.a),
      ]
    #expect(Self.view(tree).objects.isEmpty)
    let back = Self.view(tree + [.undelete(Self.a)])
    #expect(back.objects == [Self.idA, Self.idB, Self.idC])
    #expect(back.children[ReferenceSlot(Self.idA, 10)] == [Self.idB])
  }

  @Test("a cycle is cut at its latest link (R25)")
  func cycle() {
    let view = Self.view(
      Self.three + [
        .set(Self.a, [FieldValue(10, .reference(Self.b))]),
        .set(Self.b, [FieldValue(10, .reference(Self.a))]),
      ])
    #expect(view.objects.count == 3 && view.cuts == [ReferenceSlot(Self.idB, 10)])
    #expect(view.links[ReferenceSlot(Self.idB, 10)] == nil)
    #expect(view.links[ReferenceSlot(Self.idA, 10)] == Self.idB)
  }

  @Test("a birth forgets registers, dots and counters; an increment names the birth (Q17)")
  func birth() {
    let before: [Operation] =
      Self.three + [
        .set(Self.a, [FieldValue(1, .integer(5))]), .link(Self.b, field: 14, target: Self.a),
        .counterAdd(Self.a, field: 4, amount: 3, resetStamp: .zero, resetAuthor: 0),
        .setAdd(Self.a, field: 5, .string("x")), .delete(Self.a),
        .recreate(Self.a, [FieldValue(2, .string("new"))]),
      ]
    let state = Self.state(before)
    #expect(state.registers.count == 1 && state.elements.isEmpty && state.counters.isEmpty)
    let birth = state.births[Self.idA]?.stamp ?? .zero
    let view = Self.view(
      before + [
        .counterAdd(Self.a, field: 4, amount: 9, resetStamp: .zero, resetAuthor: 0),
        .counterAdd(Self.a, field: 4, amount: 2, resetStamp: birth, resetAuthor: 0),
      ])
    #expect(view.counters == [ReferenceSlot(Self.idA, 4): 2])
    #expect(view.objects.contains(Self.idA))
  }

  @Test("an update revives an object of some entities only (Q17)")
  func revive() {
    let mark = ObjectReference(entity: 3, serial: 1)
    let view = Self.view(
      Self.three + [
        .create(mark, key: [], []), .delete(mark), .delete(Self.a),
        .set(mark, [FieldValue(1, .integer(1))]), .set(Self.a, [FieldValue(1, .integer(1))]),
      ])
    #expect(view.objects == [Self.idB, Self.idC, ReferenceID(entity: 3, Self.line, serial: 1)])
  }

  @Test("a merged object reads as the other one, in links and edges too (R27)")
  func alias() {
    let view = Self.view(
      Self.three + [
        .set(Self.c, [FieldValue(10, .reference(Self.b))]),
        .link(Self.b, field: 14, target: Self.c), .merge(from: Self.b, into: Self.a),
      ])
    #expect(view.objects == [Self.idA, Self.idC] && view.aliases == [Self.idB: Self.idA])
    #expect(view.links[ReferenceSlot(Self.idC, 10)] == Self.idA)
    #expect(view.edges == [ReferenceSlot(Self.idA, 14): [Self.idC]])
    let both = Self.view(
      Self.three + [.merge(from: Self.b, into: Self.a), .merge(from: Self.a, into: Self.b)])
    #expect(both.aliases == [Self.idB: Self.idA])
  }

  @Test("a stolen partner reads nil at once (R18)")
  func stealing() {
    let view = Self.view(
      Self.three + [
        .pair(isPaired: true, a: Self.a, fieldA: 11, b: Self.b, fieldB: 12),
        .pair(isPaired: true, a: Self.c, fieldA: 11, b: Self.b, fieldB: 12),
      ])
    #expect(
      view.pairs
        == [ReferenceSlot(Self.idC, 11): Self.idB, ReferenceSlot(Self.idB, 12): Self.idC])
  }

  @Test("a log that only creates has the digests of columns that were never written again")
  func creations() {
    let state = Self.state([
      .create(Self.b, key: [], []),
      .create(Self.a, key: [], [FieldValue(2, .string("x")), FieldValue(10, .reference(Self.b))]),
    ])
    var sum = DigestPair()
    func add(_ serial: UInt64, _ attribute: UInt32, _ value: (inout ByteWriter) -> Void) {
      var writer = ByteWriter()
      writer.uint32(1)
      writer.uint32(attribute)
      writer.bytes(Self.line.replica.array)
      writer.uint64(serial)
      value(&writer)
      let content = writer.finish().array
      sum.content &+= Checksum.hash128(content)
      let id = serial == 1 ? Self.idA : Self.idB
      var stamped = ByteWriter()
      stamped.bytes(content)
      stamped.uint64(state.lives[id]?.mark.stamp.rawValue ?? 0)
      stamped.bytes(Self.line.replica.array)
      sum.state &+= Checksum.hash128(stamped.finish().array)
    }
    add(1, 0) { _ in }
    add(2, 0) { _ in }
    add(1, 2) { Value.string("x").write(into: &$0) }
    add(1, 10) {
      $0.uint8(10)
      $0.uint32(1)
      $0.bytes(Self.line.replica.array)
      $0.uint64(2)
    }
    let digest = ReferenceDigest(state, ReferenceSchema(state))
    #expect(digest.total == sum && digest.entities == [1: sum])
  }

  @Test("a dead object counts in the state digest alone")
  func deadDigest() {
    let alive = Self.state(Self.three)
    let dead = Self.state(Self.three + [.delete(Self.c)])
    let two = Self.state([Self.a, Self.b].map { .create($0, key: [], []) })
    let digests = [alive, dead, two].map { ReferenceDigest($0, ReferenceSchema($0)).total }
    #expect(digests[1].content == digests[2].content && digests[1].content != digests[0].content)
    #expect(Set(digests.map(\.state)).count == 3)
  }
}
