// "Did you mean": the nearest known word to one that is not known.

/// Finds words that somebody may have meant.
enum Suggestion {
  /// The nearest of `words`, or nil when none is near: at most a third of the letters may differ,
  /// or `text` is the start of a single word.
  static func closest(to text: String, among words: [String]) -> String? {
    let wanted = text.lowercased()
    let limit = max(1, wanted.count / 3)
    var best: (word: String, distance: Int)?
    for word in words {
      let distance = editDistance(wanted, word.lowercased())
      if distance <= limit, distance < word.count, distance < best?.distance ?? .max {
        best = (word, distance)
      }
    }
    if let best { return best.word }
    let starting = words.filter { $0.lowercased().hasPrefix(wanted) }
    return wanted.count >= 2 && starting.count == 1 ? starting[0] : nil
  }

  /// The end of a message: `; did you mean "x"?`, or nothing.
  static func question(_ word: String?) -> String { word.map { "; did you mean \"\($0)\"?" } ?? "" }

  /// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
  static func editDistance(_ a: String, _ b: String) -> Int {
    let a = Array(a.unicodeScalars.prefix(64))
    let b = Array(b.unicodeScalars.prefix(64))
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        let change = a[i - 1] == b[j - 1] ? 0 : 1
        row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + change)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          row[j] = min(row[j], beforeLast[j - 2] + 1)
        }
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
