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
