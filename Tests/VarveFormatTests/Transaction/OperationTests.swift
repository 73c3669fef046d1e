// Operations: every case of the catalogue reads back, and nothing but the canonical form is read.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Operations")
struct OperationTests {
  static func encode(_ operation: Operation) -> [UInt8] {
    var writer = ByteWriter()
    var scratch = ByteWriter()
    operation.write(into: &writer, scratch: &scratch)
    return writer.finish().array
  }

  static func decode(_ bytes: [UInt8]) throws(FormatError) -> Operation {
    try Bytes(bytes).read { (reader: inout ByteReader) throws(FormatError) in
      let operation = try Operation(&reader)
      try reader.finish(.badOperation, "an operation")
      return operation
    }
  }

  @Test("every opcode reads back with random contents", arguments: FormatRandom.opcodes)
  func roundTrip(_ opcode: UInt8) throws {
    var random = TestRun.random("operations of opcode \(opcode)")
    for _ in 0..<300 * TestRun.scale {
      let operation = random.operation(opcode)
      let bytes = OperationTests.encode(operation)
      #expect(bytes[0] & 0x7F == opcode)
      let read = try OperationTests.decode(bytes)
      #expect(read == operation)
      #expect(OperationTests.encode(read) == bytes)
    }
  }

  @Test("every kind of schema declaration reads back", arguments: 1...8)
  func schema(_ kind: Int) throws {
    var random = TestRun.random("schema kind \(kind)")
    for _ in 0..<300 * TestRun.scale {
      let operation = Operation.schema(random.schemaOperation(kind: kind))
      #expect(try OperationTests.decode(OperationTests.encode(operation)) == operation)
    }
  }

  @Test(
    "changed bytes are refused or are written as they were read", arguments: FormatRandom.opcodes)
  func canonical(_ opcode: UInt8) {
    var random = TestRun.random("changed operations of opcode \(opcode)")
    for _ in 0..<1_000 * TestRun.scale {
      var bytes = OperationTests.encode(random.operation(opcode))
      for _ in 0..<random.within(1...3) where !bytes.isEmpty {
        bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.word())
      }
      guard let operation = try? OperationTests.decode(bytes) else { continue }
      #expect(OperationTests.encode(operation) == bytes)
    }
  }

  @Test("a body must be used up and must not be short", arguments: FormatRandom.opcodes)
  func lengths(_ opcode: UInt8) {
    var random = TestRun.random("cut operations of opcode \(opcode)")
    for _ in 0..<50 * TestRun.scale {
      let bytes = OperationTests.encode(random.operation(opcode))
      for length in 0..<bytes.count {
        #expect(throws: FormatError.self) { try OperationTests.decode(Array(bytes[..<length])) }
      }
      guard bytes[1] < 0x7F, Opcode(rawValue: opcode) != nil else { continue }
      var longer = bytes + [0]
      longer[1] += 1
      #expect(throws: FormatError.self) { try OperationTests.decode(longer) }
    }
  }

  @Test("an unknown operation is kept byte for byte, critical or not")
  func unknown() throws {
    for code in 0...255 where Opcode(rawValue: UInt8(code & 0x7F)) == nil {
      let bytes = [UInt8(code), 3, 1, 2, 3]
      let operation = try OperationTests.decode(bytes)
      #expect(
        operation
          == .unknown(opcode: UInt8(code & 0x7F), isCritical: code >= 128, [1, 2, 3]))
      #expect(OperationTests.encode(operation) == bytes)
    }
    for opcode in Opcode.allCases {
      #expect(throws: FormatError.self) {
        try OperationTests.decode([opcode.rawValue | 0x80, 2, 1, 1])
      }
    }
  }

  @Test("the catalogue has the numbers of the specification")
  func numbers() {
    let names = Opcode.allCases.map { String(describing: $0) }
    let numbers = Opcode.allCases.map(\.rawValue)
    let wanted = """
      create set unset link unlink pair order counterAdd counterReset setAdd setRemove \
      mapPut mapRemove group delete undelete recreate merge schema localMarker blob era \
      acceptGap acceptStore adoption retireReplica tag acknowledgeConflict migration \
      pendingLink columns
      """
    #expect(numbers == [UInt8](1...31))
    #expect(names.joined(separator: " ") == wanted)
  }

  @Test("an identity must be the hash of its key, and other objects have no key")
  func keys() {
    let object = ObjectReference(entity: 1, identity: Checksum.hash128([1, 2]))
    #expect(throws: FormatError.self) {
      try OperationTests.decode(OperationTests.encode(.create(object, key: [1, 3], [])))
    }
    let created = ObjectReference(entity: 1, serial: 1)
    #expect(throws: FormatError.self) {
      try OperationTests.decode(OperationTests.encode(.create(created, key: [1], [])))
    }
  }

  @Test("a run of serials may end at the largest serial and not behind it")
  func lastSerial() throws {
    func run(_ first: UInt64) -> Operation {
      .columns(
        ColumnsOperation(
          form: .create, entity: 1, rows: 10, identifiers: .run(index: 0, firstSerial: first),
          firstPart: 0, columns: []))
    }
    let last = run(Limits.serialMax - 9)
    #expect(try OperationTests.decode(OperationTests.encode(last)) == last)
    for first in [0, Limits.serialMax - 8, Limits.serialMax, UInt64.max] {
      #expect(throws: FormatError.self) {
        try OperationTests.decode(OperationTests.encode(run(first)))
      }
    }
  }
}
