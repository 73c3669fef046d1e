// The records of every operation.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Dump: operations")
struct OperationDumpTests {
  private static let a = ObjectReference(entity: 7, serial: 5)
  private static let b = ObjectReference(entity: 8, index: 1, serial: 70_000)
  private static let key = Array("key".utf8)
  private static let c = ObjectReference(entity: 9, identity: Checksum.hash128(key))
  private static let dots = [Dot(index: 1, sequence: 2), Dot(index: 0, sequence: 300)]
  private static let position = LogPosition(
    index: 1, sequence: 2, chainPrefix: Array("abcdefgh".utf8))
  private static let hash = Hash128(low: 1, high: 0)
  private static let hashText = String(repeating: "0", count: 31) + "1"
  private static let zeros = [UInt8](repeating: 0, count: 32)

  private static let objects: [(Operation, [String])] = [
    (
      .create(a, key: [], [FieldValue(3, .bool(true))]),
      ["op create object=7/0/5 count=1", "  field tag=3 value=true"]
    ),
    (.create(c, key: key, []), ["op create object=9/#\(Checksum.hash128(key)) key=6b6579 count=0"]),
    (
      .set(a, [FieldValue(3, .string("x")), FieldValue(70_000, .bool(false))]),
      ["op set object=7/0/5 count=2", #"  field tag=3 value="x""#, "  field tag=70000 value=false"]
    ),
    (
      .unset(a, [FieldType(3, .string), FieldType(70_000, .identityReference)]),
      ["op unset object=7/0/5 fields=3:string,70000:identityReference"]
    ),
    (.unset(a, []), ["op unset object=7/0/5 fields=none"]),
    (
      .group(a, group: 2, [GroupMember(3, .integer(1)), GroupMember(4, nilOf: .date)]),
      [
        "op group object=7/0/5 group=2 count=2", "  field tag=3 value=1",
        "  field tag=4 value=nil type=date",
      ]
    ),
    (.delete(c), ["op delete object=9/#\(Checksum.hash128(key))"]),
    (.undelete(a), ["op undelete object=7/0/5"]),
    (.recreate(a, []), ["op recreate object=7/0/5 count=0"]),
    (.merge(from: a, into: b), ["op merge from=7/0/5 into=8/1/70000"]),
  ]

  private static let links: [(Operation, [String])] = [
    (.link(a, field: 3, target: b), ["op link object=7/0/5 field=3 target=8/1/70000"]),
    (
      .unlink(a, field: 3, target: b, dots: dots),
      ["op unlink object=7/0/5 field=3 target=8/1/70000 dots=1:2,0:300"]
    ),
    (
      .pair(isPaired: true, a: a, fieldA: 3, b: b, fieldB: 4),
      ["op pair state=1 a=7/0/5 fieldA=3 b=8/1/70000 fieldB=4"]
    ),
    (
      .order(a, field: 3, place: Operation.OrderPlace(parent: b, key: [0x6B])),
      ["op order object=7/0/5 field=3 parent=8/1/70000 key=6b"]
    ),
    (.order(a, field: 3, place: nil), ["op order object=7/0/5 field=3 parent=none"]),
    (
      .pendingLink(a, field: 3, target: 9, key: []),
      ["op pendingLink object=7/0/5 field=3 target=9 key="]
    ),
  ]

  private static let collections: [(Operation, [String])] = [
    (
      .counterAdd(a, field: 3, amount: -3, resetStamp: Stamp(rawValue: 255), resetAuthor: 1),
      ["op counterAdd object=7/0/5 field=3 amount=-3 reset=00000000000000ff author=1"]
    ),
    (.counterReset(a, field: 3, value: 3), ["op counterReset object=7/0/5 field=3 value=3"]),
    (.setAdd(a, field: 3, .string("a")), [#"op setAdd object=7/0/5 field=3 value="a""#]),
    (
      .setRemove(a, field: 3, .string("a"), dots: []),
      [#"op setRemove object=7/0/5 field=3 value="a" dots=none"#]
    ),
    (
      .mapPut(a, field: 3, key: .string("a"), .bool(true)),
      [#"op mapPut object=7/0/5 field=3 key="a" value=true"#]
    ),
    (.mapRemove(a, field: 3, key: .unsigned(1)), ["op mapRemove object=7/0/5 field=3 key=1"]),
  ]

  private static let schema: [(Operation, [String])] = [
    (
      .schema(.entity(entity: 7, label: "P", flags: 3)),
      [#"op schema declares=entity entity=7 label="P" flags=3"#]
    ),
    (
      .schema(
        .attribute(
          entity: 7, attribute: 3, type: .integer, label: "n", flags: 2,
          defaultValue: .integer(1))),
      [
        #"op schema declares=attribute entity=7 attribute=3 type=integer label="n" flags=2 "#
          + "default=1"
      ]
    ),
    (
      .schema(
        .relationship(
          SchemaOperation.Relationship(
            entity: 7, attribute: 3, label: "l", kind: 4, target: 8, inverse: 0, inverseLabel: "i",
            deleteRule: 1, flags: 2))),
      [
        #"op schema declares=relationship entity=7 attribute=3 label="l" relation=4 target=8 "#
          + #"inverse=0 inverseLabel="i" rule=1 flags=2"#
      ]
    ),
    (
      .schema(.uniqueness(entity: 7, mode: 1, attributes: [3, 4])),
      ["op schema declares=uniqueness entity=7 mode=1 fields=3,4"]
    ),
    (
      .schema(.group(entity: 7, group: 2, label: "g", attributes: [3])),
      [#"op schema declares=group entity=7 group=2 label="g" fields=3"#]
    ),
    (
      .schema(.index(entity: 7, label: "x", kind: 2, attributes: [])),
      [#"op schema declares=index entity=7 label="x" index=2 fields=none"#]
    ),
    (
      .schema(.retire(entity: 7, attribute: 0)),
      ["op schema declares=retire entity=7 attribute=0"]
    ),
    (
      .schema(.version(2, label: "v")), [#"op schema declares=version version=2 label="v""#]
    ),
  ]

  private static let log: [(Operation, [String])] = [
    (.localMarker(sequence: 9, chain: hash), ["op localMarker sequence=9 chain=\(hashText)"]),
    (
      .blob(sha256: zeros, byteCount: 9),
      ["op blob sha256=\(String(repeating: "0", count: 64)) bytes=9"]
    ),
    (
      .era(number: 1, kind: 2, baseline: .zero, vector: [position]),
      [
        "op era number=1 act=2 baseline=\(String(repeating: "0", count: 32)) "
          + "vector=1:2:6162636465666768"
      ]
    ),
    (
      .acceptGap(index: 1, first: 2, last: 3, chain: hash),
      ["op acceptGap index=1 first=2 last=3 chain=\(hashText)"]
    ),
    (
      .acceptStore(StoreID([UInt8](repeating: 0, count: 16))),
      ["op acceptStore store=aaaaaaaaaaaaaaaaaaaaaaaaaa"]
    ),
    (
      .adoption(
        Operation.Adoption(
          index: 1, sequence: 2, previousChain: hash, dictionary: [], transaction: [1, 2],
          parts: [Operation.Adoption.Part(frameType: 4, payload: [])])),
      ["op adoption index=1 sequence=2 previous=\(hashText) dictionary=0 bytes=2 parts=1"]
    ),
    (.retireReplica(position), ["op retireReplica index=1 sequence=2 chain=6162636465666768"]),
    (
      .tag(name: "t\"", isSet: true, vector: []),
      [#"op tag name="t\"" state=1 vector=none"#]
    ),
    (
      .acknowledgeConflict(a, field: 3, winner: dots[0], loser: dots[1]),
      ["op acknowledgeConflict object=7/0/5 field=3 winner=1:2 loser=0:300"]
    ),
    (
      .migration(identifier: "m", ordinal: 2, isFinished: true),
      [#"op migration identifier="m" ordinal=2 finished=1"#]
    ),
    (
      .unknown(opcode: 0x2A, isCritical: false, [0x78, 0x79]),
      ["op unknown opcode=42 critical=0 bytes=7879"]
    ),
    (
      .unknown(opcode: 0x2A, isCritical: true, []), ["op unknown opcode=42 critical=1 bytes="]
    ),
  ]

  private static let all = objects + links + collections + schema + log

  @Test("every operation prints as in the document", arguments: all)
  func operation(_ operation: Operation, _ lines: [String]) throws {
    let dump = try DumpLines.text(try DumpSample.segment([operation]))
    let printed = dump[4..<dump.count - 1].map { line in String(line.dropFirst(4)) }
    #expect(printed == lines)
    #expect(dump.last?.contains("verdict=clean frames=1 transactions=1") == true)
  }

  @Test("every operation of the catalogue has an example here, but the columnar one")
  func complete() {
    let shown = Set(OperationDumpTests.all.map(\.0.opcode))
    let missing = Opcode.allCases.filter { !shown.contains($0.rawValue) }
    #expect(missing == [.columns])
  }

  @Test("in JSON the kind has two words, and what belongs to an operation is one deeper")
  func json() throws {
    let operation = Operation.set(
      OperationDumpTests.a, [FieldValue(3, .array(.string, [.string("q")]))])
    let dump = try DumpLines.json(try DumpSample.segment([operation]))
    #expect(
      Array(dump[4..<dump.count - 1]) == [
        #"{"kind":"op set","depth":2,"object":"7/0/5","count":1}"#,
        #"{"kind":"field","depth":3,"tag":3,"value":"array:string[\"q\"]"}"#,
      ])
  }

  @Test("an era of kind 0, and adopted parts of other frame types, are refused")
  func catalogue() throws {
    let bad: [Operation] = [
      .era(number: 1, kind: 0, baseline: .zero, vector: []),
      .adoption(
        Operation.Adoption(
          index: 1, sequence: 2, previousChain: .zero, dictionary: [], transaction: [],
          parts: [Operation.Adoption.Part(frameType: 3, payload: [])])),
    ]
    for operation in bad {
      let dump = try DumpLines.text(try DumpSample.segment([operation]))
      #expect(dump[4] == "  error offset=128 code=badOperation")
    }
  }
}
