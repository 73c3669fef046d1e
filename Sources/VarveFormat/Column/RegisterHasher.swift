// Hashes registers for digests. See Formats/Digest.md.

/// The sums of a group of registers.
package struct DigestPair: Sendable, Equatable {
  /// Ids and values.
  package var content = Hash128.zero
  /// Ids, values, stamps and authors.
  package var state = Hash128.zero

  package init() {}

  package static func += (a: inout DigestPair, b: DigestPair) {
    a.content &+= b.content
    a.state &+= b.state
  }
}

/// Adds up the registers of one attribute of objects of one creator.
package struct RegisterHasher: ~Copyable {
  /// The message: 32 bytes of identity, the value, then stamp and author.
  private let message: UnsafeMutableRawPointer
  private let capacity: Int
  /// The mark that goes behind each value in the state digest.
  package var stamp: UInt64 = 0
  package var author = [16 of UInt8](repeating: 0)
  /// The sums that a message counts in.
  package var countsInContent = true
  package var countsInState = true
  package private(set) var sum = DigestPair()

  private static let creatorOffset = 8
  private static let serialOffset = 24
  private static let valueOffset = 32
  /// Bytes around a value: identity, type, length or number, stamp, author.
  private static let overheadBytes = 32 + 1 + 10 + 8 + 16

  /// A hasher for values of up to `valueBytesMax` bytes of objects of one creator.
  package init(
    entity: UInt32, attribute: UInt32, creator: [16 of UInt8], valueBytesMax: Int = 64
  ) {
    capacity = RegisterHasher.overheadBytes + valueBytesMax
    message = .allocate(byteCount: capacity, alignment: 8)
    message.storeBytes(of: entity.littleEndian, as: UInt32.self)
    message.storeBytes(of: attribute.littleEndian, toByteOffset: 4, as: UInt32.self)
    message.storeBytes(
      of: creator, toByteOffset: RegisterHasher.creatorOffset, as: [16 of UInt8].self)
  }

  deinit { message.deallocate() }

  /// Another creator for the objects to come.
  package mutating func setCreator(_ creator: [16 of UInt8]) {
    message.storeBytes(
      of: creator, toByteOffset: RegisterHasher.creatorOffset, as: [16 of UInt8].self)
  }

  /// Hashes the message whose value ends at `end`.
  @inline(__always)
  private mutating func finish(_ serial: UInt64, end: Int) {
    // SAFETY: values are checked against `capacity`, which has room for all that stands around one.
    message.storeBytes(
      of: serial.littleEndian, toByteOffset: RegisterHasher.serialOffset, as: UInt64.self)
    if countsInContent {
      sum.content &+= Checksum.hash128(UnsafeRawBufferPointer(start: message, count: end))
    }
    guard countsInState else { return }
    message.storeBytes(of: stamp.littleEndian, toByteOffset: end, as: UInt64.self)
    message.storeBytes(of: author, toByteOffset: end &+ 8, as: [16 of UInt8].self)
    sum.state &+= Checksum.hash128(UnsafeRawBufferPointer(start: message, count: end &+ 24))
  }

  /// The existence of an object.
  package mutating func object(_ serial: UInt64) { finish(serial, end: RegisterHasher.valueOffset) }

  /// A word of a type that is no reference.
  @inline(__always)
  package mutating func word(_ serial: UInt64, _ type: PhysicalType, _ word: UInt64) {
    message.storeBytes(of: type.rawValue, toByteOffset: RegisterHasher.valueOffset, as: UInt8.self)
    finish(serial, end: payload(word, type, at: RegisterHasher.valueOffset &+ 1))
  }

  /// The bytes of a cell.
  @inline(__always)
  package mutating func bytes(
    _ serial: UInt64, _ type: PhysicalType, _ bytes: UnsafeRawBufferPointer
  ) {
    message.storeBytes(of: type.rawValue, toByteOffset: RegisterHasher.valueOffset, as: UInt8.self)
    finish(serial, end: payload(bytes, type, at: RegisterHasher.valueOffset &+ 1))
  }

  /// A link to an object, named by its entity, creator and serial.
  @inline(__always)
  package mutating func link(
    _ serial: UInt64, _ type: PhysicalType, entity: UInt32, creator: [16 of UInt8],
    target: UInt64
  ) {
    let start = RegisterHasher.valueOffset &+ 1
    message.storeBytes(of: type.rawValue, toByteOffset: RegisterHasher.valueOffset, as: UInt8.self)
    message.storeBytes(of: entity.littleEndian, toByteOffset: start, as: UInt32.self)
    message.storeBytes(of: creator, toByteOffset: start &+ 4, as: [16 of UInt8].self)
    message.storeBytes(of: target.littleEndian, toByteOffset: start &+ 20, as: UInt64.self)
    finish(serial, end: start &+ 28)
  }

  /// Any value as its bytes in the message.
  package mutating func value(_ serial: UInt64, _ value: [UInt8]) {
    precondition(
      value.count <= capacity - RegisterHasher.overheadBytes, "the hasher was made for less")
    for (place, byte) in value.enumerated() {
      message.storeBytes(
        of: byte, toByteOffset: RegisterHasher.valueOffset + place, as: UInt8.self)
    }
    finish(serial, end: RegisterHasher.valueOffset + value.count)
  }

  /// Stores a word in row form and returns where it ends.
  @inline(__always)
  private func payload(_ word: UInt64, _ type: PhysicalType, at start: Int) -> Int {
    switch type {
    case .bool:
      message.storeBytes(of: UInt8(truncatingIfNeeded: word), toByteOffset: start, as: UInt8.self)
      return start &+ 1
    case .integer:
      let value = Int64(bitPattern: word)
      return varint(UInt64(bitPattern: (value &<< 1) ^ (value &>> 63)), at: start)
    case .unsigned: return varint(word, at: start)
    default:
      message.storeBytes(of: word.littleEndian, toByteOffset: start, as: UInt64.self)
      return start &+ 8
    }
  }

  /// Stores bytes in row form and returns where they end.
  @inline(__always)
  private func payload(_ bytes: UnsafeRawBufferPointer, _ type: PhysicalType, at start: Int) -> Int
  {
    precondition(
      bytes.count <= capacity - RegisterHasher.overheadBytes, "the hasher was made for less")
    var end = start
    if type == .string || type == .data { end = varint(UInt64(bytes.count), at: end) }
    if let source = bytes.baseAddress {
      (message + end).copyMemory(from: source, byteCount: bytes.count)
    }
    return end &+ bytes.count
  }

  @inline(__always)
  private func varint(_ value: UInt64, at start: Int) -> Int {
    var rest = value
    var end = start
    while rest >= 0x80 {
      message.storeBytes(
        of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: end, as: UInt8.self)
      end &+= 1
      rest &>>= 7
    }
    message.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: end, as: UInt8.self)
    return end &+ 1
  }
}
