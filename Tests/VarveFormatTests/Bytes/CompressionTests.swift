// LZ4 blocks that no compressor writes.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Compression")
struct CompressionTests {
  private func code(_ block: [UInt8], _ rawLength: Int) -> FormatError.Code? {
    do throws(FormatError) {
      _ = try Compression.decompressed(Bytes(block), rawLength: rawLength)
    } catch { return error.code }
    return nil
  }

  @Test("a match with the offset 0 is refused, wherever it stands")
  func zeroOffset() {
    // One literal, a match of four bytes, twelve literals at the end.
    let tail: [UInt8] = [0xC0] + [UInt8](1...12)
    let good: [UInt8] = [0x10, 65, 1, 0] + tail
    #expect(code(good, 17) == nil)
    #expect(code([0x10, 65, 0, 0] + tail, 17) == .badCompression)
    // Behind long literals and a long match.
    let literals = [UInt8](repeating: 9, count: 300)
    let long: [UInt8] = [0xF0, 255, 30] + literals + [1, 0, 0x0F, 7, 0, 255, 3]
    #expect(code(long + [0, 0, 0, 0x50, 1, 2, 3, 4, 5], 1_000) == .badCompression)
  }

  @Test("what compressors write is never taken for a match with the offset 0")
  func soundBlocks() throws {
    var random = TestRun.random()
    for round in 0..<200 {
      let piece = random.bytes(random.within(1...60))
      var raw: [UInt8] = []
      while raw.count < 2_000 + round * 100 {
        raw += random.within(0...3) == 0 ? random.bytes(30) : piece
        raw += [UInt8](repeating: 0, count: random.within(0...40))
      }
      let bytes = Bytes(raw)
      guard let compressed = Compression.compressed(bytes) else { continue }
      #expect(try Compression.decompressed(compressed, rawLength: raw.count).array == raw)
    }
  }
}
