// The 128 bytes in front of a file: read back, and refused with the documented reason.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("File headers")
struct FileHeaderTests {
  /// The header with bytes changed and the check made right again.
  static func changed(_ header: FileHeader, _ change: (inout [UInt8]) -> Void) -> Bytes {
    var bytes = header.encoded.array
    change(&bytes)
    return Reseal.fileHeader(bytes)
  }

  private func code(_ bytes: Bytes) -> FormatError.Code? {
    do throws(FormatError) {
      _ = try FileHeader(bytes)
      return nil
    } catch { return error.code }
  }

  @Test("random headers of every kind read back")
  func roundTrip() throws {
    var random = TestRun.random()
    for _ in 0..<500 * TestRun.scale {
      var header = random.header()
      header.kind = random.pick([.segment, .baseline, .receipt, .blob, .sentinel, .localLog])
      if header.kind == .baseline { header.firstSequence = 0 }
      header.minor = random.pick([1, 2, .max])
      header.compatibleFeatures = random.chance(50) ? 0 : UInt32(truncatingIfNeeded: random.word())
      let bytes = header.encoded
      #expect(bytes.count == 128)
      let read = try FileHeader(bytes)
      #expect(read == header)
      #expect(read.encoded == bytes)
    }
  }

  @Test("the first sequence is 0 in baselines and nowhere else; only their ordinal may be 0")
  func numbers() {
    var random = TestRun.random()
    for kind: FileKind in [.segment, .baseline, .receipt, .localLog] {
      var header = random.header()
      header.kind = kind
      let isBaseline = kind == .baseline
      (header.firstSequence, header.ordinal) = (0, 1)
      #expect(code(header.encoded) == (isBaseline ? nil : .badHeader))
      header.firstSequence = 1
      #expect(code(header.encoded) == (isBaseline ? .badHeader : nil))
      (header.firstSequence, header.ordinal) = (isBaseline ? 0 : 1, 0)
      #expect(code(header.encoded) == (isBaseline ? nil : .badHeader))
    }
  }

  @Test("every flipped bit of a header is noticed, and every cut")
  func damage() {
    var random = TestRun.random()
    let bytes = random.header().encoded.array
    var codes: [FormatError.Code: Int] = [:]
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      let found = code(Bytes(flipped))
      #expect(found != nil)
      if let found { codes[found, default: 0] += 1 }
    }
    #expect(codes == [.notVarve: 64, .badHeader: 960])
    for length in 0..<128 { #expect(code(Bytes(Array(bytes[..<length]))) == .truncated) }
  }

  @Test("a newer major version is refused, a newer minor version is read")
  func versions() {
    var random = TestRun.random()
    let header = random.header()
    #expect(code(FileHeaderTests.changed(header) { $0[8] = 1 }) == .unknownVersion)
    #expect(code(FileHeaderTests.changed(header) { $0[9] = 1 }) == .unknownVersion)
    #expect(code(FileHeaderTests.changed(header) { $0[10] = 200 }) == nil)
  }

  @Test("an unknown incompatible feature is refused by its bit, an unknown compatible one is kept")
  func features() throws {
    var random = TestRun.random()
    let header = random.header()
    for bit in 0..<32 {
      let incompatible = FileHeaderTests.changed(header) { $0[12 + bit / 8] |= 1 << UInt8(bit % 8) }
      do throws(FormatError) {
        _ = try FileHeader(incompatible)
        Issue.record("bit \(bit) was accepted")
      } catch {
        #expect(error.code == .unknownVersion)
        #expect(error.message.contains("bit \(bit) "))
      }
      let compatible = FileHeaderTests.changed(header) { $0[16 + bit / 8] |= 1 << UInt8(bit % 8) }
      let read = try FileHeader(compatible)
      #expect(read.compatibleFeatures == 1 << UInt32(bit))
      #expect(read.encoded == compatible)
    }
  }

  @Test("fields out of range are refused although the check matches")
  func ranges() {
    var random = TestRun.random()
    let header = random.header()
    for kind in [0, 2, 9, 255] {
      #expect(code(FileHeaderTests.changed(header) { $0[20] = UInt8(kind) }) == .unknownVersion)
    }
    for (offset, value) in [(21, 4), (22, 0), (23, 1), (112, 1)] {
      let bytes = FileHeaderTests.changed(header) { $0[offset] = UInt8(value) }
      #expect(code(bytes) == .badHeader, "offset \(offset)")
    }
    for offset in [56, 64] {
      let bytes = FileHeaderTests.changed(header) {
        $0.replaceSubrange(
          offset..<offset + 8, with: [UInt8](repeating: 0, count: 8))
      }
      #expect(code(bytes) == .badHeader, "offset \(offset)")
    }
  }
}
