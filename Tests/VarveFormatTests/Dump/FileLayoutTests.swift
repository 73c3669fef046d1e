// Annotated bytes: every byte of a file belongs to one field.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Dump: fields beside bytes")
struct FileLayoutTests {
  private func fields(_ bytes: Bytes) throws -> (spans: [ByteSpan], isDamaged: Bool) {
    var layout = try FileLayout(MemorySource(bytes))
    var list: [ByteSpan] = []
    try layout.forEach { layout, piece in list += try layout.spans(piece) }
    return (list, layout.isDamaged)
  }

  @Test("fields cover the file without gaps, and hold its bytes")
  func coverage() throws {
    var random = TestRun.random()
    for _ in 0..<40 * TestRun.scale {
      let bytes = try random.segment().encoded()
      let (fields, isDamaged) = try fields(bytes)
      #expect(!isDamaged)
      let stored = fields.filter { !$0.isDecompressed }
      var end: UInt64 = 0
      for field in stored {
        #expect(field.offset == end, "\(field.meaning)")
        #expect(bytes.slice(Int(field.offset), field.bytes.count).array == field.bytes)
        end += UInt64(field.bytes.count)
      }
      // Of the zeros at the end only the first are shown.
      #expect(end == UInt64(bytes.count) || stored.last?.meaning.hasSuffix("zeros") == true)
      #expect(!fields.contains { $0.name.hasPrefix("not ") || $0.name == "left over" })
    }
  }

  @Test("damaged files are shown as far as they can be read")
  func damage() throws {
    var random = TestRun.random()
    for _ in 0..<200 * TestRun.scale {
      var array = try random.segment().encoded().array
      guard array.count > 130 else { continue }
      for _ in 0..<3 {
        array[random.within(128...array.count - 1)] ^= UInt8(random.within(1...255))
      }
      #expect(try fields(Bytes(array)).spans.count > 18)
    }
    let tiny = try DumpSample.tiny().array
    var rotten = tiny
    rotten[200] ^= 1
    let (list, isDamaged) = try fields(Bytes(rotten))
    #expect(isDamaged)
    #expect(list.contains { $0.value == "badFrameHash: the hash of a frame does not match" })
  }

  @Test("a place inside a frame finds the frame, one behind the file nothing")
  func places() throws {
    let bytes = try DumpSample.tiny(seal: true)
    func start(_ offset: UInt64) throws -> UInt64? {
      var layout = try FileLayout(MemorySource(bytes))
      return try layout.piece(at: offset)?.1
    }
    #expect(try start(0) == 0)
    #expect(try start(127) == 0)
    #expect(try start(128) == 128)
    #expect(try start(239) == 128)
    #expect(try start(240) == 240)
    #expect(try start(UInt64(bytes.count) - 1) == UInt64(bytes.count) - 48)
    #expect(try start(UInt64(bytes.count)) == nil)
  }
}
