// Limits of the format: they fit each other, and claims are not paid for in memory.

import Foundation
import Testing
import VarveFormat
import VarveTestSupport

@Suite("Limits of the format")
struct LimitsTests {
  @Test("the limits do not contradict each other")
  func relations() {
    Limits.checkRelations()
    #expect(Limits.frameRawBytesMax == 4_194_304)
  }

  @Test("a count takes memory for what is there and not for what it claims")
  func claimedCounts() async {
    await #expect(processExitsWith: .success) {
      MemoryCeiling.allow(bytes: 64 << 20)
      // 4 MiB that claim as many elements of 16 bytes, and half as many fields.
      for hostile in [MemoryCeiling.hostileArray, MemoryCeiling.hostileFields] {
        guard (try? OperationTests.decode(hostile)) == nil else { exit(1) }
      }
      exit(0)
    }
  }

  /// Operations that become most memory for each byte, up to the limit of elements.
  private static let bombs: [(String, Value, Int)] = [
    ("bools", .bool(true), 1),
    (
      "decimals",
      .decimal(
        DecimalValue(
          isNegative: false, exponent: 0, magnitude: 7)), 4
    ),
    ("data of a byte", .data([1]), 2), ("strings", .string("sixteen bytes ..."), 18),
  ]

  @Test(
    "decoded operations take at most eight times the most bytes that operations can have",
    arguments: 0..<4)
  func decodingMemory(bomb: Int) async {
    await #expect(processExitsWith: .success) { [bomb = bomb as Int] in
      let (_, value, size) = LimitsTests.bombs[bomb]
      let count = min(Limits.elementsMax - 2, (Limits.operationBytesMax - 64) / size)
      let list = MemoryCeiling.array(value, count: count)
      let fields = MemoryCeiling.fields(
        value, count: min(count, Limits.operationBytesMax / (size + 2) - 64))
      MemoryCeiling.allow(bytes: UInt64(Limits.decodingFactor * Limits.operationBytesMax))
      for bytes in [list, fields] {
        guard (try? OperationTests.decode(bytes)) != nil else { exit(1) }
      }
      exit(0)
    }
  }

  @Test("one element more than a transaction may have is refused by readers and writers")
  func elements() throws {
    for (count, isTaken) in [(Limits.elementsMax - 1, true), (Limits.elementsMax, false)] {
      // The field counts too.
      let bytes = MemoryCeiling.array(.bool(true), count: count)
      #expect(((try? OperationTests.decode(bytes)) != nil) == isTaken)
      var builder = TransactionBuilder()
      builder.add(
        .set(
          ObjectReference(entity: 1, serial: 1),
          [FieldValue(1, .array(.bool, [Value](repeating: .bool(true), count: count)))]))
      let draft = try? builder.finish()
      #expect((draft != nil) == isTaken)
    }
    // Operations of one stream share the limit.
    let half = MemoryCeiling.array(.bool(true), count: Limits.elementsMax / 2)
    let bytes = Bytes(half + half)
    #expect(throws: FormatError.self) {
      try bytes.read { (reader: inout ByteReader) throws(FormatError) in
        _ = try Operation(&reader)
        _ = try Operation(&reader)
      }
    }
  }
}

extension LimitsTests {
  /// Operations with the longest lists that one may have.
  private static let longest: [VarveFormat.Operation] = {
    let object = ObjectReference(entity: 1, serial: 1)
    let tags = (1...UInt32(Limits.columnsMax)).map { $0 }
    return [
      .unset(object, tags.map { FieldType($0, .bool) }),
      .group(object, group: 1, tags.map { GroupMember($0, nilOf: .bool) }),
      .schema(.uniqueness(entity: 1, mode: 1, attributes: tags)),
    ]
  }()

  @Test("fields of unset, members of groups and tags count as elements too", arguments: 0..<3)
  func shortLists(_ kind: Int) throws {
    let one = OperationTests.encode(LimitsTests.longest[kind])
    let most = Limits.elementsMax / Limits.columnsMax
    for (count, isTaken) in [(most, true), (most + 1, false)] {
      let bytes = Bytes((0..<count).flatMap { _ in one })
      let read: Void? = try? bytes.read { (reader: inout ByteReader) throws(FormatError) in
        while !reader.isAtEnd { _ = try Operation(&reader) }
      }
      #expect((read != nil) == isTaken)
      var builder = TransactionBuilder()
      for _ in 0..<count { builder.add(LimitsTests.longest[kind]) }
      #expect(((try? builder.finish()) != nil) == isTaken)
    }
  }

  @Test("operations with as many members as they may have stay below the limit of memory")
  func memoryOfMembers() async {
    await #expect(processExitsWith: .success) {
      let members = (1...UInt32(Limits.columnsMax)).map { GroupMember($0, .data([1])) }
      let group = OperationTests.encode(
        .group(ObjectReference(entity: 1, serial: 1), group: 1, members))
      let small = OperationTests.encode(
        .create(ObjectReference(entity: 1, serial: 1), key: [], [FieldValue(1, .bool(true))]))
      let lists = [
        Bytes((0..<Limits.elementsMax / Limits.columnsMax).flatMap { _ in group }),
        Bytes((0..<Limits.operationsMax).flatMap { _ in small }),
      ]
      MemoryCeiling.allow(bytes: UInt64(Limits.decodingFactor * Limits.operationBytesMax))
      for list in lists {
        let count = try? list.read { (reader: inout ByteReader) throws(FormatError) in
          var operations: [VarveFormat.Operation] = []
          while !reader.isAtEnd { operations.append(try Operation(&reader)) }
          return operations.count
        }
        guard let count, count > 0 else { exit(1) }
      }
      exit(0)
    }
  }
}

/// An operation of 4 MiB whose counts are as large as its bytes allow.
private enum MemoryCeiling {
  private static let bytes = 4 << 20

  static let hostileArray = operation { writer in
    writer.varint(1)  // one field
    writer.varint(1)
    writer.uint8(PhysicalType.array.rawValue)
    writer.uint8(PhysicalType.uuid.rawValue)
    writer.varint(UInt64(bytes - 64))
  }

  static let hostileFields = operation { writer in
    writer.varint(UInt64(bytes / 2 - 64))
    // The second field is none.
    writer.varint(1)
    writer.uint8(0)
    writer.varint(1)
    writer.uint8(255)
  }

  /// One field with an array of equal elements.
  static func array(_ value: Value, count: Int) -> [UInt8] {
    unpadded { writer in
      writer.varint(1)
      writer.varint(1)
      writer.uint8(PhysicalType.array.rawValue)
      writer.uint8(value.typeCode)
      writer.varint(UInt64(count))
      for _ in 0..<count { value.writePayload(into: &writer) }
    }
  }

  /// Many fields with equal values.
  static func fields(_ value: Value, count: Int) -> [UInt8] {
    unpadded { writer in
      writer.varint(UInt64(count))
      for _ in 0..<count {
        writer.varint(1)
        value.write(into: &writer)
      }
    }
  }

  private static func unpadded(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var body = ByteWriter(capacity: bytes)
    body.varint(1)
    body.varint(1)
    body.varint(1)
    write(&body)
    var writer = ByteWriter(capacity: body.count + 16)
    writer.uint8(Opcode.set.rawValue)
    writer.varint(body.count)
    body.withUnsafeBytes { writer.bytes($0) }
    return writer.finish().array
  }

  private static func operation(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var body = ByteWriter(capacity: bytes)
    body.varint(1)  // entity, space, serial
    body.varint(1)
    body.varint(1)
    write(&body)
    body.zeros(bytes - body.count)
    var writer = ByteWriter(capacity: bytes + 16)
    writer.uint8(Opcode.set.rawValue)
    writer.varint(body.count)
    body.withUnsafeBytes { writer.bytes($0) }
    return writer.finish().array
  }

  /// Lets the process grow by so many bytes of address space and no more.
  static func allow(bytes: UInt64) {
    let (array, fields) = (hostileArray.count, hostileFields.count)
    precondition(array > 0 && fields > 0, "the inputs exist before the ceiling does")
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = UInt64(text.split(separator: " ").first ?? "") ?? 0
    let ceiling = rlim_t(pages * UInt64(sysconf(Int32(_SC_PAGESIZE))) + bytes)
    var limit = rlimit(rlim_cur: ceiling, rlim_max: ceiling)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
  }
}
