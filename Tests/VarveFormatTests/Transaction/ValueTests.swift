// Values in row form: every type reads back, only canonical forms are read.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Values")
struct ValueTests {
  static func encode(_ value: Value) -> [UInt8] {
    var writer = ByteWriter()
    value.write(into: &writer)
    return writer.finish().array
  }

  static func decode(_ bytes: [UInt8]) throws(FormatError) -> Value {
    try Bytes(bytes).read { (reader: inout ByteReader) throws(FormatError) in
      let value = try Value(&reader)
      try reader.finish(.badValue, "a value")
      return value
    }
  }

  @Test("every type reads back", arguments: PhysicalType.allCases)
  func roundTrip(_ type: PhysicalType) throws {
    var random = TestRun.random("values of \(type)")
    for _ in 0..<500 * TestRun.scale {
      let value = random.value(type)
      let bytes = ValueTests.encode(value)
      #expect(bytes.first == type.rawValue)
      let read = try ValueTests.decode(bytes)
      #expect(read == value)
      #expect(ValueTests.encode(read) == bytes)
    }
    #expect(ValueTests.encode(.null) == [0])
  }

  @Test("what is read from changed bytes is written as the same bytes", arguments: 1...14)
  func canonical(_ code: Int) throws {
    var random = TestRun.random("changed values of type \(code)")
    var accepted = 0
    for _ in 0..<2_000 * TestRun.scale {
      let type = try #require(PhysicalType(rawValue: UInt8(code)))
      var bytes = ValueTests.encode(random.value(type))
      let place = random.below(bytes.count)
      bytes[place] = UInt8(truncatingIfNeeded: random.word())
      guard let value = try? ValueTests.decode(bytes) else { continue }
      accepted += 1
      #expect(ValueTests.encode(value) == bytes)
    }
    #expect(accepted > 0)
  }

  @Test("no value is read when it is cut, and nothing beyond it is taken")
  func cuts() throws {
    var random = TestRun.random()
    for _ in 0..<300 * TestRun.scale {
      let bytes = ValueTests.encode(random.value())
      for length in 0..<bytes.count {
        #expect(throws: FormatError.self) { try ValueTests.decode(Array(bytes[..<length])) }
      }
      #expect(throws: FormatError.self) { try ValueTests.decode(bytes + [0]) }
    }
  }

  @Test("there is one NaN, and negative zero stays")
  func doubles() throws {
    let nan = Value.double(Double(nan: 1_234, signaling: false))
    #expect(ValueTests.encode(nan) == [4, 0, 0, 0, 0, 0, 0, 0xF8, 0x7F])
    for bits: UInt64 in [0x7FF8_0000_0000_0001, 0xFFF8_0000_0000_0000, 0x7FF0_0000_0000_0001] {
      #expect(throws: FormatError.self) { try ValueTests.decode(ValueTests.encode(.double(bits))) }
    }
    #expect(try ValueTests.decode(ValueTests.encode(.double(-0.0))) == .double(1 << 63))
    #expect(Value.double(-0.0) != Value.double(0.0))
  }

  @Test("decimals have no trailing zeros, one zero and no needless bytes")
  func decimals() throws {
    let hundred = DecimalValue(isNegative: false, exponent: 0, magnitude: 100)
    #expect(hundred == DecimalValue(isNegative: false, exponent: 2, magnitude: 1))
    #expect(DecimalValue(isNegative: true, exponent: 9, magnitude: 0).isNegative == false)
    let bad: [[UInt8]] = [
      [5, 2, 0, 1, 1],  // a sign of 2
      [5, 0, 0, 2, 1, 0],  // a needless byte
      [5, 0, 0, 1, 10],  // a trailing zero
      [5, 1, 0, 0],  // minus zero
      [5, 0, 2, 0],  // a zero with an exponent
      [5, 0, 0, 17] + [UInt8](repeating: 1, count: 17),
    ]
    for bytes in bad { #expect(throws: FormatError.self) { try ValueTests.decode(bytes) } }
    let largest = DecimalValue(isNegative: true, exponent: .min, magnitude: .max)
    #expect(try ValueTests.decode(ValueTests.encode(.decimal(largest))) == .decimal(largest))
  }

  @Test("types and codes beyond the table are refused")
  func unknown() {
    for code in 15...255 {
      #expect(throws: FormatError.self) {
        try ValueTests.decode([UInt8(code)] + [UInt8](repeating: 0, count: 40))
      }
    }
    let bad: [[UInt8]] = [
      [1, 2],  // a bool of 2
      [12, 0, 0], [12, 10, 0],  // arrays of nil and of references
      [13, 0, 0], [13, 3, 0],  // composites of unknown encodings
      [14, 1, 1, 1],  // an identity reference to a created object
      [10, 1, 1, 0],  // a serial of 0
      [10, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02],  // a serial of 37 bits
    ]
    for bytes in bad { #expect(throws: FormatError.self) { try ValueTests.decode(bytes) } }
  }

  @Test("an array cannot claim more elements than there are bytes")
  func hostileArray() {
    for count: UInt64 in [4, 1 << 20, 1 << 32, .max] {
      var writer = ByteWriter()
      writer.uint8(12)
      writer.uint8(1)
      writer.varint(count)
      writer.zeros(3)
      let bytes = writer.finish().array
      #expect(throws: FormatError.self) { try ValueTests.decode(bytes) }
    }
  }
}
