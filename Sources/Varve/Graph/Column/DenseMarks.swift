// Marks of a column of a group in which many registers were written since. Layer: Graph.

import VarveFormat

/// A number of two bytes for each row, and the marks that the numbers stand for: all that one
/// transaction writes has one mark.
final class DenseMarks {
  // SAFETY: `codes` has `groupRows` numbers, each at most `marks.count`; 0 stands for no mark.
  private let codes: Memory
  private var marks: ContiguousArray<WriteMark>
  private(set) var count = 0

  /// Marks that are kept before those that no row has any more are dropped.
  private static let marksMax = 2 * Limits.groupRows

  init() {
    codes = Memory(zeroed: Limits.groupRows * 2)
    marks = []
  }

  init(copying other: DenseMarks) {
    codes = Memory(count: Limits.groupRows * 2)
    codes.base.copyMemory(from: other.codes.base, byteCount: Limits.groupRows * 2)
    marks = other.marks
    count = other.count
  }

  /// The number of a row's mark; 0 for none.
  @inline(__always)
  func code(_ row: Int) -> UInt16 { codes.base.load(fromByteOffset: row &* 2, as: UInt16.self) }

  @inline(__always)
  func mark(code: UInt16) -> WriteMark { marks[Int(code) &- 1] }

  @inline(__always)
  subscript(row: Int) -> WriteMark? {
    let code = code(row)
    return code == 0 ? nil : mark(code: code)
  }

  /// The number for a mark; the last one is found again.
  @inline(__always)
  func code(for mark: WriteMark) -> UInt16 {
    if marks.last == mark { return UInt16(marks.count) }
    if marks.count == DenseMarks.marksMax { dropUnused() }
    marks.append(mark)
    return UInt16(marks.count)
  }

  @inline(__always)
  func set(_ row: Int, code: UInt16) {
    count += (code == 0 ? 0 : 1) - (self.code(row) == 0 ? 0 : 1)
    codes.base.storeBytes(of: code, toByteOffset: row &* 2, as: UInt16.self)
  }

  /// Sets the mark of a row's register, or takes it away.
  func set(_ row: Int, _ mark: WriteMark?) { set(row, code: mark.map { code(for: $0) } ?? 0) }

  @inline(never)
  private func dropUnused() {
    var used = ContiguousArray<WriteMark>()
    var places = [UInt16](repeating: 0, count: marks.count + 1)
    for row in 0..<Limits.groupRows {
      let old = Int(code(row))
      guard old > 0 else { continue }
      if places[old] == 0 {
        used.append(marks[old - 1])
        places[old] = UInt16(used.count)
      }
      codes.base.storeBytes(of: places[old], toByteOffset: row * 2, as: UInt16.self)
    }
    marks = used
  }

  func forEach(_ body: (_ row: Int, WriteMark) -> Void) {
    for row in 0..<Limits.groupRows {
      if let mark = self[row] { body(row, mark) }
    }
  }

  var memoryBytes: Int { codes.count + marks.capacity * MemoryLayout<WriteMark>.stride }
}
