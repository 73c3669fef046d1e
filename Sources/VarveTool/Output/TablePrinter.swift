// Aligned tables for people.

/// Rows of cells in aligned columns.
struct TablePrinter {
  enum Alignment: Sendable { case left, right }

  /// One column: its heading and how its cells are aligned.
  struct Column: Sendable {
    var title: String
    var alignment: Alignment
    init(_ title: String, _ alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }
  }

  private let columns: [Column]
  private(set) var rows: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row; missing cells are empty.
  mutating func add(_ cells: [String]) {
    precondition(cells.count <= columns.count, "a row has more cells than the table has columns")
    rows.append(cells + [String](repeating: "", count: columns.count - cells.count))
  }

  /// The table with two spaces between columns.
  ///
  /// The last column is cut when lines are longer than `width`.
  func render(width: Int? = nil, showsTitles: Bool = true) -> String {
    let titles = showsTitles ? [columns.map(\.title)] : []
    let all = (titles + rows).map { $0.map(TablePrinter.visible) }
    var widths = [Int](repeating: 0, count: columns.count)
    for row in all {
      for (index, cell) in row.enumerated() {
        widths[index] = max(widths[index], TextWidth.columns(cell))
      }
    }
    var text = ""
    for row in all {
      var line = ""
      for (index, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[index] - TextWidth.columns(cell))
        if index > 0 { line += "  " }
        line += columns[index].alignment == .left ? cell + padding : padding + cell
      }
      while line.last == " " { line.removeLast() }
      if let width { line = TextWidth.truncated(line, to: width) }
      text += line + "\n"
    }
    return text
  }

  /// Control characters would break the lines: they print as in JSON.
  static func visible(_ cell: String) -> String {
    let isPlain = cell.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
    }
    if isPlain { return cell }
    var text = ""
    for scalar in cell.unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
