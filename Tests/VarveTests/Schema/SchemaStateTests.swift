// Registers of the schema: who wins, and that order of arrival does not matter.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Schema: registers")
struct SchemaStateTests {
  typealias S = SchemaSamples

  @Test("any order, repetition and split of declarations gives the same state and view (Q7)")
  func orderIndependence() {
    var random = TestRun.random()
    for round in 0..<10_000 * TestRun.scale {
      let declarations = SchemaStateTests.history(&random)
      let whole = SchemaStateTests.fold(declarations)
      var shuffled = declarations.shuffled(using: &random.generator)
      shuffled += shuffled.prefix(random.below(4))
      let cut = random.within(0...shuffled.count)
      var parts = SchemaStateTests.fold(Array(shuffled[cut...]))
      if random.chance(50) { parts = SchemaState(parts.declarations) }
      parts.merge(SchemaStateTests.fold(Array(shuffled[..<cut])))
      #expect(parts.fingerprint == whole.fingerprint, "round \(round)")
      if round % 10 == 0 {
        #expect(parts.resolved.problems == whole.resolved.problems, "round \(round)")
        #expect(
          parts.resolved.entities.map(\.attributes) == whole.resolved.entities.map(\.attributes))
      }
    }
  }

  /// One declaration with its claim.
  struct Step {
    var operation: SchemaOperation
    var claim: SchemaClaim
  }

  /// Few tags, stamps and authors, so that everything collides; some are hints.
  private static func history(_ random: inout FormatRandom) -> [Step] {
    random.list(max: 12) { random in
      let claim = SchemaClaim(
        stamp: Stamp(rawValue: UInt64(random.below(4))), author: S.replica(UInt8(random.below(3))),
        ordinal: UInt64(random.below(2)))
      return Step(operation: random.smallSchemaOperation(), claim: claim)
    }
  }

  private static func fold(_ steps: [Step]) -> SchemaState {
    var state = SchemaState()
    for step in steps {
      state.apply(
        step.operation, stamp: step.claim.stamp, author: step.claim.author,
        ordinal: step.claim.ordinal)
    }
    return state
  }

  @Test("the larger stamp wins, among equal stamps the larger replica (Q16)")
  func winners() {
    var state = SchemaState()
    state.apply(S.entity(1, "later"), stamp: Stamp(milliseconds: 9), author: S.replica(1))
    state.apply(S.entity(1, "earlier"), stamp: Stamp(milliseconds: 8), author: S.replica(9))
    #expect(state.resolved.name(1) == "later")
    state.apply(S.entity(1, "larger"), stamp: Stamp(milliseconds: 9), author: S.replica(2))
    #expect(state.resolved.name(1) == "larger")
    #expect(state.resolved.entity(named: "later") == nil)
  }

  @Test("two registers of one transaction: the later operation wins")
  func oneTransaction() {
    var state = SchemaState()
    let stamp = Stamp(milliseconds: 9)
    state.apply(S.entity(1, "second"), stamp: stamp, author: S.replica(1), ordinal: 1)
    state.apply(S.entity(1, "first"), stamp: stamp, author: S.replica(1), ordinal: 0)
    #expect(state.resolved.name(1) == "second")
  }

  @Test("a hint gives way to any declaration by a transaction, also to an older one")
  func hints() {
    var state = SchemaState()
    state.applyHint(S.entity(1, "hint"), author: S.replica(1), ordinal: 5)
    state.applyHint(S.entity(1, "older hint"), author: S.replica(1), ordinal: 4)
    #expect(state.resolved.name(1) == "hint")
    state.apply(S.entity(1, "real"), stamp: Stamp(milliseconds: 1), author: S.replica(1))
    state.applyHint(S.entity(1, "late hint"), author: S.replica(1), ordinal: 6)
    #expect(state.resolved.name(1) == "real")
  }

  @Test("what a SCHEMA frame repeats gives the same view when nothing else is there")
  func hintsSuffice() {
    var random = TestRun.random()
    for _ in 0..<1_000 * TestRun.scale {
      var state = SchemaState()
      for place in 0..<random.below(20) {
        state.apply(
          random.smallSchemaOperation(), stamp: Stamp(milliseconds: UInt64(place + 1)),
          author: S.replica(1))
      }
      var repeated = SchemaState()
      for (place, operation) in state.operations.enumerated() {
        repeated.applyHint(operation, author: S.replica(1), ordinal: UInt64(place))
      }
      let (a, b) = (state.resolved, repeated.resolved)
      #expect(a.entities.map(\.attributes) == b.entities.map(\.attributes))
      #expect(a.entities.map(\.relationships) == b.entities.map(\.relationships))
      #expect(a.entities.map(\.isRetired) == b.entities.map(\.isRetired))
      #expect(a.version == b.version)
    }
  }

  @Test("labels and flags that nobody knows are written again byte for byte (R30)")
  func unknownSurvives() {
    let odd = SchemaOperation.entity(entity: 1, label: "e\u{301}\u{0}", flags: 3)
    let same = SchemaOperation.entity(entity: 1, label: "\u{E9}\u{0}", flags: 3)
    let attribute = S.attribute(1, 70_000, "", .composite, flags: 0b111_1101)
    let state = S.state([odd, attribute])
    #expect(state.operations.map(\.encoded) == [odd.encoded, attribute.encoded])
    // Strings that look the same are equal in Swift; their bytes decide.
    var other = S.state([odd, attribute])
    other.apply(same, stamp: Stamp(milliseconds: 2_000), author: S.replica(1))
    #expect(other.operations.first?.encoded == same.encoded)
    let indexes = S.state([
      .index(entity: 1, label: "e\u{301}", kind: 1, attributes: [1]),
      .index(entity: 1, label: "\u{E9}", kind: 1, attributes: [2]),
    ])
    #expect(indexes.operations.count == 2)
  }

  @Test("a retirement holds until something is declared again, and wins in its own transaction")
  func retirement() {
    var state = S.state(SchemaSamples.projects + [.retire(entity: 1, attribute: 2)])
    #expect(state.resolved.entity(1)?.attribute(2)?.isRetired == true)
    #expect(state.resolved.entity(1)?.isRetired == false)
    state.apply(
      S.attribute(1, 2, "deadline", .date), stamp: Stamp(milliseconds: 5_000),
      author: S.replica(1))
    #expect(state.resolved.entity(1)?.attribute(2)?.isRetired == false)
    let stamp = Stamp(milliseconds: 6_000)
    state.apply(.retire(entity: 2, attribute: 0), stamp: stamp, author: S.replica(1), ordinal: 0)
    state.apply(S.entity(2, "Item"), stamp: stamp, author: S.replica(1), ordinal: 1)
    #expect(state.resolved.entity(2)?.isRetired == true)
    #expect(state.operations.contains(.retire(entity: 2, attribute: 0)))
    #expect(!state.operations.contains(.retire(entity: 1, attribute: 2)))
  }

  @Test("copies of a state share no view once one of them has changed")
  func copies() {
    let first = S.state(SchemaSamples.projects)
    var second = first
    second.apply(S.entity(1, "Renamed"), stamp: Stamp(milliseconds: 9_000), author: S.replica(1))
    #expect(first.resolved.name(1) == "Project")
    #expect(second.resolved.name(1) == "Renamed")
    #expect(first != second)
  }
}
