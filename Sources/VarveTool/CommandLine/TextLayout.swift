// Wraps and aligns the text of help pages.

/// A page of text of a given width.
struct TextLayout {
  let width: Int
  private(set) var text = ""

  init(width: Int) { self.width = width }

  /// A line as it is.
  mutating func line(_ content: String = "") {
    text += content
    text += "\n"
  }

  /// Words in lines of at most `width` columns: the first indented by `indent`, the others by
  /// `hanging`.
  mutating func wrapped(_ content: String, indent: Int, hanging: Int) {
    var current = String(repeating: " ", count: indent)
    var used = 0
    for word in content.split(separator: " ") {
      if used > 0, TextWidth.columns(current) + 1 + TextWidth.columns(word) > width {
        line(current)
        current = String(repeating: " ", count: hanging)
        used = 0
      }
      if used > 0 { current += " " }
      current += word
      used += 1
    }
    line(current)
  }

  /// Paragraphs separated by empty lines; lines that start with two spaces stay as they are.
  mutating func paragraphs(_ content: String) {
    var words = ""
    for piece in content.split(separator: "\n", omittingEmptySubsequences: false) {
      if piece.isEmpty || piece.hasPrefix("  ") {
        if !words.isEmpty { wrapped(words, indent: 0, hanging: 0) }
        words = ""
        line(String(piece))
      } else {
        words += words.isEmpty ? piece : " " + piece
      }
    }
    if !words.isEmpty { wrapped(words, indent: 0, hanging: 0) }
  }

  /// A heading and rows of two columns; nothing when there are no rows.
  mutating func section(_ title: String, _ rows: [(String, String)], column: Int? = nil) {
    guard !rows.isEmpty else { return }
    let column = column ?? TextLayout.column(for: rows.map(\.0), width: width)
    line()
    line("\(title):")
    for (left, right) in rows {
      let start = "  " + left
      let startColumns = TextWidth.columns(start)
      if startColumns + 2 > column {
        line(start)
        wrapped(right, indent: column, hanging: column)
      } else {
        let gap = column - startColumns
        let words = right.split(separator: " ").joined(separator: " ")
        var body = TextLayout(width: width - column)
        body.wrapped(words, indent: 0, hanging: 0)
        var isFirst = true
        for piece in body.text.split(separator: "\n") {
          let padding = String(repeating: " ", count: isFirst ? gap : column)
          line((isFirst ? start : "") + padding + piece)
          isFirst = false
        }
      }
    }
  }

  /// Where the right column starts: behind the longest left cell, at most a third of the page.
  static func column(for cells: [String], width: Int) -> Int {
    let longest = cells.map { TextWidth.columns($0) }.max() ?? 0
    return min(longest + 4, max(width / 3 + 2, 16))
  }
}
