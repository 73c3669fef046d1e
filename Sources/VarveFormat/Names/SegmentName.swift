// Names of segment files. Strict: anything else is not ours and is never touched.

/// The name of a segment in `log/<replica>/`.
package enum SegmentName: Hashable, Sendable {
  /// `open-<ordinal:10>.vlog`
  case open(ordinal: UInt64)
  /// `<first:10>-<last:10>-<hash:16>.vlog`
  case sealed(first: UInt64, last: UInt64, hash: UInt64)

  /// Numbers in names have ten hexadecimal digits: no log has more segments or transactions.
  package static let numberMax: UInt64 = (1 << 40) - 1

  /// The name, when it can be spelled.
  ///
  /// - Throws: `badLength` for an ordinal or sequence of more than ten digits.
  package func checked() throws(FormatError) -> SegmentName {
    let largest =
      switch self {
      case .open(let ordinal): ordinal
      case .sealed(let first, let last, _): max(first, last)
      }
    guard largest <= SegmentName.numberMax else {
      throw FormatError(
        .badLength,
        "\(largest) does not fit the name of a segment; at most "
          + "\(SegmentName.numberMax) does")
    }
    return self
  }

  package init?(_ name: String) {
    guard name.utf8.count <= 80, name.hasSuffix(".vlog") else { return nil }
    let parts = name.dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
    if parts.count == 2, parts[0] == "open", let ordinal = SegmentName.number(parts[1], width: 10) {
      self = .open(ordinal: ordinal)
    } else if parts.count == 3, let first = SegmentName.number(parts[0], width: 10),
      let last = SegmentName.number(parts[1], width: 10),
      let hash = SegmentName.number(parts[2], width: 16)
    {
      self = .sealed(first: first, last: last, hash: hash)
    } else {
      return nil
    }
  }

  private static func number(_ text: Substring, width: Int) -> UInt64? {
    text.utf8.count == width ? parseHexadecimal(text) : nil
  }
}

extension SegmentName: CustomStringConvertible {
  package var description: String {
    precondition((try? checked()) != nil, "numbers are checked before a name is spelled")
    return switch self {
    case .open(let ordinal): "open-\(hexadecimal(ordinal, width: 10)).vlog"
    case .sealed(let first, let last, let hash):
      "\(hexadecimal(first, width: 10))-\(hexadecimal(last, width: 10))-\(hexadecimal(hash)).vlog"
    }
  }
}
