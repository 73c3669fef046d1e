// Variable-length numbers: every length, and only the shortest form.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Varints")
struct VarintTests {
  private func encode(_ value: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.varint(value)
    return writer.finish().array
  }

  private func decode(_ bytes: [UInt8]) throws(FormatError) -> UInt64 {
    try Bytes(bytes).read { (reader: inout ByteReader) throws(FormatError) in
      let value = try reader.varint()
      try reader.finish(.badLength, "a varint")
      return value
    }
  }

  @Test("the smallest and the largest number of every length read back")
  func lengths() throws {
    for length in 1...10 {
      let smallest: UInt64 = length == 1 ? 0 : 1 << UInt64(7 * (length - 1))
      let largest: UInt64 = length == 10 ? .max : (1 << UInt64(7 * length)) - 1
      for value in [smallest, largest] {
        let bytes = encode(value)
        #expect(bytes.count == length)
        #expect(try decode(bytes) == value)
      }
    }
  }

  @Test("random numbers read back, also through zigzag")
  func random() throws {
    var random = TestRun.random()
    for _ in 0..<5_000 * TestRun.scale {
      let value = random.number()
      #expect(try decode(encode(value)) == value)
      let signed = random.signed()
      var writer = ByteWriter()
      writer.zigzag(signed)
      let read = try writer.finish().read { (reader: inout ByteReader) throws(FormatError) in
        try reader.zigzag()
      }
      #expect(read == signed)
    }
  }

  @Test("zigzag numbers have the form that the specification gives")
  func zigzag() {
    for (value, stored) in [(Int64(0), 0), (-1, 1), (1, 2), (-2, 3), (.max, UInt64.max - 1)] {
      var writer = ByteWriter()
      writer.zigzag(value)
      #expect(writer.finish().array == encode(stored))
    }
  }

  @Test("a number with a needless last group is refused in every length")
  func overlong() {
    for length in 1...9 {
      let overlong = [UInt8](repeating: 0x80, count: length) + [0]
      #expect(throws: FormatError.self) { try decode(overlong) }
      let padded = [UInt8](repeating: 0xFF, count: length) + [0]
      #expect(throws: FormatError.self) { try decode(padded) }
    }
  }

  @Test("more than 64 bits are refused, and so is a number that is cut")
  func tooLong() {
    let nine = [UInt8](repeating: 0xFF, count: 9)
    #expect(throws: FormatError.self) { try decode(nine + [0x02]) }
    #expect(throws: FormatError.self) { try decode(nine + [0x7F]) }
    #expect(throws: FormatError.self) { try decode(nine + [0x81, 0x00]) }
    #expect(throws: FormatError.self) { try decode(nine + [0xFF, 0x01]) }
    for length in 0...9 {
      let cut = [UInt8](repeating: 0x80, count: length)
      #expect { try decode(cut) } throws: { ($0 as? FormatError)?.code == .truncated }
    }
  }
}
