// Random columns of every type and of shapes that encodings like or dislike. Layer: test support.

import VarveFormat

/// How the cells of a column are distributed.
package enum CellShape: String, CaseIterable, Sendable {
  case random, constant, sorted, allNil, fewValues, someNil, mostlyNil, fullRange
  case fullRangeWithNil, scaled

  /// Per cent of cells without a value.
  var nilPercent: Int {
    switch self {
    case .allNil: 100
    case .someNil, .fullRangeWithNil: 20
    case .mostlyNil: 95
    default: 0
    }
  }
}

extension FormatRandom {
  package mutating func presence(_ rows: Int, nilPercent: Int) -> Presence {
    var presence = Presence()
    for _ in 0..<rows { presence.append(!chance(nilPercent)) }
    return presence
  }

  package mutating func cells(_ type: PhysicalType, rows: Int, shape: CellShape) -> ColumnCells {
    let present = shape.nilPercent > 0 ? presence(rows, nilPercent: shape.nilPercent) : nil
    guard type.isWord || type == .bool else {
      let list = byteCells(type, rows: rows, shape: shape)
      return ColumnCells(list, present: present)
    }
    return .words(words(type, rows: rows, shape: shape), present: present)
  }

  private mutating func words(_ type: PhysicalType, rows: Int, shape: CellShape) -> [UInt64] {
    if type == .bool {
      return (0..<rows).map { shape == .constant ? 1 : $0 % 3 == 0 ? 0 : UInt64(below(2)) }
    }
    let constant = word(type)
    let few = (0..<5).map { _ in word(type) }
    let scale = pick([3_600_000_000_000, 1_000, 7])
    var list: [UInt64] = (0..<rows).map { row in
      switch shape {
      case .constant: constant
      case .sorted: UInt64(row * 3 + below(3))
      case .fewValues: pick(few)
      case .scaled: UInt64(bitPattern: Int64((below(100_000) - 50_000) * scale))
      case .random, .someNil, .mostlyNil, .allNil: word(type)
      case .fullRange, .fullRangeWithNil: number()
      }
    }
    if shape == .fullRange || shape == .fullRangeWithNil, rows > 1 {
      let smallest: UInt64 = type.isSigned ? 1 << 63 : 0
      list[0] = smallest
      list[rows - 1] = smallest &- 1
    }
    return type == .double ? list.map { Value.isCanonicalDouble($0) ? $0 : 0 } : list
  }

  /// A word as cells of the type have it.
  package mutating func word(_ type: PhysicalType) -> UInt64 {
    switch type {
    case .double:
      let bits = doubleBits()
      return Value.isCanonicalDouble(bits) ? bits : Value.canonicalNaN
    case .reference: return UInt64(index()) << 48 | serial()
    case .integer, .date: return UInt64(bitPattern: Int64(within(-5_000...70_000)))
    default: return UInt64(below(1_000_000))
    }
  }

  private mutating func byteCells(_ type: PhysicalType, rows: Int, shape: CellShape) -> [[UInt8]] {
    let constant = byteCell(type)
    let few = (0..<5).map { _ in byteCell(type) }
    return (0..<rows).map { row in
      switch shape {
      case .constant: constant
      case .fewValues: pick(few)
      case .sorted where type == .string || type == .data: Array("key \(1_000_000 + row)".utf8)
      default: byteCell(type)
      }
    }
  }

  /// The payload of a value of a type stored as bytes, as columns hold it.
  package mutating func byteCell(_ type: PhysicalType) -> [UInt8] {
    switch type {
    case .string: return Array(text(max: 12).utf8)
    case .data: return bytes(max: 12)
    case .uuid, .identityReference: return bytes(16)
    default:
      var writer = ByteWriter()
      value(type).writePayload(into: &writer)
      return writer.finish().array
    }
  }
}

extension ColumnCells {
  /// Byte cells; those of rows without a value stay as they are and must not matter.
  package init(_ list: [[UInt8]], present: Presence?) {
    var offsets: [UInt32] = [0]
    var heap: [UInt8] = []
    for cell in list {
      heap += cell
      offsets.append(UInt32(heap.count))
    }
    self = .bytes(offsets: offsets, heap: heap, present: present)
  }
}
