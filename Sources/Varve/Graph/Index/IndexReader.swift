// Looks objects up by values: by index where there is one, else by reading the column.
// Layer: Graph.

import VarveFormat

/// Finds the visible objects of an entity by values of attributes.
struct IndexReader {
  private let graph: GraphSnapshot

  init(_ graph: GraphSnapshot) { self.graph = graph }

  /// Objects whose attributes read as these values, by creator and serial.
  func objects(_ attributes: [AttributeRule], are values: [Value], usesIndex: Bool) -> [Handle] {
    let matches = { (handle: Handle) in
      zip(attributes, values).allSatisfy { rule, value in
        graph.attribute(handle, rule).map { ValueOrder.areEqual($0, value) } ?? false
      }
    }
    let codes = values.compactMap { CellCode.value($0, isOrdered: false) }
    guard usesIndex, codes.count == attributes.count else { return scan(attributes, matches) }
    let index = graph.index(IndexKey(attributes, isOrdered: false))
    let code = CellCode.joined(codes)
    return verified(index, code...code, matches)
  }

  /// Objects whose attribute reads as nil.
  func objects(withoutValue attribute: AttributeRule) -> [Handle] {
    scan([attribute]) { graph.attribute($0, attribute) == nil }
  }

  /// Objects whose attribute lies in a range, by its value, then by creator and serial.
  func objects(
    _ attribute: AttributeRule, from lower: Value?, through upper: Value?, usesIndex: Bool
  ) -> [Handle] {
    let matches = { (handle: Handle) in
      guard let value = graph.attribute(handle, attribute) else { return false }
      return lower.map { !ValueOrder.precedes(value, $0) } ?? true
        && upper.map { !ValueOrder.precedes($0, value) } ?? true
    }
    let low = lower.map { CellCode.value($0, isOrdered: true) } ?? 0
    let high = upper.map { CellCode.value($0, isOrdered: true) } ?? .max
    let found: [Handle]
    if usesIndex, ValueOrder.hasCodes(attribute.type), let low, let high {
      guard low <= high else { return [] }
      let index = graph.index(IndexKey([attribute], isOrdered: true))
      found = verified(index, low...high, matches)
    } else {
      found = scan([attribute], matches)
    }
    let valued = found.compactMap { handle in
      graph.attribute(handle, attribute).map { (handle, $0) }
    }
    return valued.sorted { a, b in
      if ValueOrder.precedes(a.1, b.1) { return true }
      return ValueOrder.precedes(b.1, a.1) ? false : a.0 < b.0
    }
    .map(\.0)
  }

  /// Objects that share their key with others, those of each key together.
  func doubles(_ attributes: [AttributeRule]) -> [[Handle]] {
    let index = graph.index(IndexKey(attributes, isOrdered: false))
    var codes: [UInt64] = []
    index.forEachDoubledCode { codes.append($0) }
    var groups: [[Handle]] = []
    for code in codes {
      var byKey: [[Value]: [Handle]] = [:]
      for handle in verified(index, code...code, { _ in true }) {
        let key = attributes.compactMap { graph.attribute(handle, $0).map(ValueOrder.canonical) }
        if key.count == attributes.count { byKey[key, default: []].append(handle) }
      }
      groups += byKey.values.filter { $0.count > 1 }
    }
    return groups.sorted { $0[0] < $1[0] }
  }

  private func verified(
    _ index: AttributeIndex, _ codes: ClosedRange<UInt64>, _ matches: (Handle) -> Bool
  ) -> [Handle] {
    var found: [Handle] = []
    index.forEachHint(codes) { handle in
      guard graph.visible(handle) == handle, matches(handle) else { return }
      found.append(handle)
    }
    found.sort()
    var unique: [Handle] = []
    for handle in found where unique.last != handle { unique.append(handle) }
    return unique
  }

  private func scan(_ attributes: [AttributeRule], _ matches: (Handle) -> Bool) -> [Handle] {
    var found: [Handle] = []
    graph.forEachObject(attributes[0].entity) { if matches($0) { found.append($0) } }
    found.sort()
    return found
  }
}

/// Equality and order of values in queries.
///
/// Strings and data go by their bytes, and numbers by what they are: zeros are equal, and what is
/// no number is equal to itself and behind all numbers.
enum ValueOrder {
  /// Whether codes of an ordered index rise with values of the type.
  static func hasCodes(_ type: PhysicalType) -> Bool {
    type != .decimal && type != .array && type != .composite && type != .blob
  }

  static func areEqual(_ a: Value, _ b: Value) -> Bool { canonical(a) == canonical(b) }

  /// The one of several equal values that stands for all of them; text as its bytes.
  static func canonical(_ value: Value) -> Value {
    switch value {
    case .double(let bits):
      let number = Double(bitPattern: bits)
      if number.isNaN { return .double(Double.nan.bitPattern) }
      return .double((number == 0 ? 0 : number).bitPattern)
    case .string(let text): return .data([UInt8](text.utf8))
    default: return value
    }
  }

  static func precedes(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.bool(let a), .bool(let b)): !a && b
    case (.integer(let a), .integer(let b)): a < b
    case (.unsigned(let a), .unsigned(let b)): a < b
    case (.double, .double):
      (CellCode.value(a, isOrdered: true) ?? 0) < (CellCode.value(b, isOrdered: true) ?? 0)
    case (.date(let a), .date(let b)): a < b
    case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.data(let a), .data(let b)): a.lexicographicallyPrecedes(b)
    case (.uuid(let a), .uuid(let b)): a.lexicographicallyPrecedes(b)
    case (.decimal(let a), .decimal(let b)): DecimalOrder.precedes(a, b)
    default: false
    }
  }
}
