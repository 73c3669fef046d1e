// The decimal of doubles. Formats/reader/compare.sh compares many more with another language.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Dump: doubles")
struct DoubleTextTests {
  private static let table: [(Double, String)] = [
    (0.1, "0.1"), (1, "1.0"), (-0.0, "-0.0"), (0, "0.0"), (100, "100.0"), (12.5, "12.5"),
    (1e15, "1000000000000000.0"), (1e16, "1e+16"), (1e22, "1e+22"), (1.5e-07, "1.5e-07"),
    (.leastNonzeroMagnitude, "5e-324"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    (123_456_789_012_345_680, "1.2345678901234568e+17"),
    (9_007_199_254_740_992, "9007199254740992.0"), (0.0001, "0.0001"), (0.00001, "1e-05"),
    (0.000_123, "0.000123"), (-2.5e-300, "-2.5e-300"), (.infinity, "inf"), (-.infinity, "-inf"),
    (.nan, "nan"), (1.0 / 3, "0.3333333333333333"),
  ]

  @Test("every double has the shortest digits in the layout of the document", arguments: table)
  func layout(_ value: Double, _ text: String) {
    #expect(DoubleText.text(value) == text)
  }

  @Test("the decimal of any double reads back as the same bits")
  func readsBack() throws {
    var random = TestRun.random()
    for _ in 0..<20_000 * TestRun.scale {
      let value = Double(bitPattern: random.word())
      guard !value.isNaN else { continue }
      let text = DoubleText.text(value)
      #expect(try #require(Double(text)).bitPattern == value.bitPattern, "\(text)")
    }
  }
}
