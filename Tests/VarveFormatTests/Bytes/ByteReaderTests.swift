// The cursor: every read checks what is left, and says where it failed.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Byte reader")
struct ByteReaderTests {
  private typealias Read = @Sendable (inout ByteReader) throws(FormatError) -> Void

  private static let reads: [(String, Int, Read)] = [
    ("uint8", 1, { (r: inout ByteReader) throws(FormatError) in _ = try r.uint8() }),
    ("uint16", 2, { (r: inout ByteReader) throws(FormatError) in _ = try r.uint16() }),
    ("uint32", 4, { (r: inout ByteReader) throws(FormatError) in _ = try r.uint32() }),
    ("uint64", 8, { (r: inout ByteReader) throws(FormatError) in _ = try r.uint64() }),
    ("hash", 16, { (r: inout ByteReader) throws(FormatError) in _ = try r.hash128() }),
    ("bytes", 5, { (r: inout ByteReader) throws(FormatError) in _ = try r.bytes(5) }),
    ("zeros", 3, { (r: inout ByteReader) throws(FormatError) in try r.zeros(3) }),
    ("sub", 6, { (r: inout ByteReader) throws(FormatError) in _ = try r.sub(6) }),
    ("skip", 7, { (r: inout ByteReader) throws(FormatError) in try r.skip(7) }),
  ]

  @Test("a read past the end throws the place and moves nothing")
  func bounds() {
    for (name, length, read) in ByteReaderTests.reads {
      for available in 0..<length {
        let bytes = Bytes([UInt8](repeating: 0, count: available))
        bytes.read(origin: 1_000) { reader in
          do throws(FormatError) {
            try read(&reader)
            Issue.record("\(name) read \(length) of \(available) bytes")
          } catch {
            #expect(error.code == .truncated, "\(name)")
            #expect((error.offset ?? 0) >= 1_000)
          }
        }
      }
    }
  }

  @Test("numbers are little-endian")
  func byteOrder() throws {
    try Bytes((1...8).map { UInt8($0) }).read { (reader: inout ByteReader) throws(FormatError) in
      #expect(try reader.uint16() == 0x0201)
      #expect(try reader.uint32() == 0x0605_0403)
      #expect(try reader.uint16() == 0x0807)
    }
  }

  @Test("a claimed length is compared with what is left before anything is copied")
  func claims() {
    var writer = ByteWriter()
    writer.varint(UInt64(Limits.operationBytesMax))
    writer.zeros(3)
    let bytes = writer.finish()
    #expect {
      try bytes.read { (reader: inout ByteReader) throws(FormatError) in
        _ = try reader.countedBytes()
      }
    } throws: {
      ($0 as? FormatError)?.code == .truncated
    }
    #expect(throws: FormatError.self) {
      try bytes.read { (reader: inout ByteReader) throws(FormatError) in _ = try reader.bytes(-1) }
    }
  }

  @Test("texts are valid UTF-8 or refused")
  func text() {
    let bad: [[UInt8]] = [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
    ]
    for bytes in bad {
      let text = Bytes([UInt8(bytes.count)] + bytes)
      #expect {
        try text.read { (reader: inout ByteReader) throws(FormatError) in _ = try reader.text() }
      } throws: {
        ($0 as? FormatError)?.code == .badValue
      }
    }
  }
}
