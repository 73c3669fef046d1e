// What reading a perhaps damaged segment gave: an error or a verdict, and the content that was
// handed out. Layer: test support.

import VarveFormat

/// The result of reading everything that a segment still says.
package struct SegmentOutcome {
  /// Why the file could not be walked at all.
  package var error: FormatError.Code?
  package var verdict: TailVerdict?
  package var accepted: UInt64 = 0
  package var problem: FormatError.Code?
  /// The hash of every transaction that was handed out, with what its parts hold.
  package var content: [Hash128] = []
  /// Transactions whose own bytes did not decode, though their frame was valid.
  package var undecoded: [FormatError.Code] = []

  /// Walks `bytes` and decodes every operation and every cell.
  package init(reading bytes: [UInt8], durableMark: UInt64 = 0) {
    do throws(FormatError) {
      var scanner = try SegmentScanner(MemorySource(Bytes(bytes)))
      var units: [Unit] = []
      let reading = try scanner.readAll(
        durableMark: durableMark,
        hint: { (frame: ScannedFrame) throws(FormatError) in
          _ = try? SchemaHint.decode(try frame.payload())
        },
        unit: { (unit: Unit) throws(FormatError) in units.append(unit) })
      verdict = reading.verdict
      accepted = reading.accepted
      problem = reading.problem?.code
      for unit in units { add(unit) }
    } catch { self.error = error.code }
  }

  private mutating func add(_ unit: Unit) {
    for transaction in unit.transactions {
      var hash = transaction.hash
      do throws(FormatError) {
        let spec = try TransactionSpec(transaction, parts: unit.parts)
        for block in spec.blocks {
          hash &+= Checksum.hash128(block)
          _ = NaiveCell.cells(try ColumnBlockDecoder.decode(block))
        }
      } catch { undecoded.append(error.code) }
      content.append(hash)
    }
  }

  /// Whether what was handed out is where `whole` starts.
  package func isPrefix(of whole: SegmentOutcome) -> Bool {
    whole.content.starts(with: content)
  }

  /// The word under which a result is counted.
  package var word: String { error.map { "error \($0)" } ?? "\(verdict ?? .corrupt)" }
}

/// Counts results, so that a test can print what it saw.
package struct OutcomeCounts: CustomStringConvertible {
  package private(set) var counts: [String: Int] = [:]
  package private(set) var total = 0

  package init() {}

  package mutating func add(_ outcome: SegmentOutcome) { add(outcome.word) }

  package mutating func add(_ word: String) {
    counts[word, default: 0] += 1
    total += 1
  }

  package subscript(word: String) -> Int { counts[word] ?? 0 }

  package var description: String {
    let list = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return "\(total): " + list.joined(separator: ", ")
  }
}
