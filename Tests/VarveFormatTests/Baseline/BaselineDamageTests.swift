// Damaged baselines: every cut and every flipped bit is found, and no more is lost than was hit.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Damaged baselines")
struct BaselineDamageTests {
  private func code(_ bytes: [UInt8]) -> FormatError.Code? {
    do throws(FormatError) {
      try BaselineReader(MemorySource(Bytes(bytes))).verify()
      return nil
    } catch { return error.code }
  }

  @Test("a baseline cut anywhere, or with bytes behind it, is refused when it is opened")
  func cut() throws {
    let bytes = try GoldenSpecs.baseline.encoded().array
    for length in 0..<bytes.count {
      #expect(throws: FormatError.self, "\(length)") {
        try BaselineReader(MemorySource(Bytes(Array(bytes[..<length]))))
      }
    }
    for count in [1, 8, 48] {
      #expect(throws: FormatError.self) {
        try BaselineReader(MemorySource(Bytes(bytes + [UInt8](repeating: 0, count: count))))
      }
    }
  }

  @Test("every flipped bit is found")
  func flips() throws {
    let bytes = try GoldenSpecs.baseline.encoded().array
    #expect(code(bytes) == nil)
    var codes: [FormatError.Code: Int] = [:]
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      let found = code(flipped)
      #expect(found != nil, "bit \(bit)")
      if let found { codes[found, default: 0] += 1 }
    }
    print("baseline, bit flips: \(codes.map { "\($0.key) \($0.value)" }.sorted())")
  }

  @Test("a damaged block is named with file and offset, and all others stay readable")
  func oneBlock() throws {
    let bytes = try GoldenSpecs.baseline.encoded().array
    let whole = try BaselineReader(MemorySource(Bytes(bytes)))
    var blocks: [(place: BaselinePlace, block: BaselineBlock)] = []
    whole.directory.forEachBlock { blocks.append(($0, $1)) }
    for (place, block) in blocks {
      var damaged = bytes
      damaged[Int(block.offset) + FrameHeader.byteCount - 1] ^= 1
      let reader = try BaselineReader(MemorySource(Bytes(damaged), path: "b.vbase"))
      for (other, candidate) in blocks {
        do throws(FormatError) {
          if let column = reader.directory.columnHeader(at: other) {
            _ = try reader.block(
              candidate, entity: column.entity, attribute: column.attribute, type: column.type)
          } else {
            _ = try reader.side(candidate)
          }
          #expect(other != place)
        } catch {
          #expect(other == place, "\(other)")
          #expect(error.path == "b.vbase" && error.offset == block.offset)
        }
      }
      #expect(throws: FormatError.self) { try reader.verify() }
    }
  }

  @Test("opening reads header, end and directory only")
  func opening() throws {
    let bytes = try GoldenSpecs.baseline.encoded().array
    let reader = try BaselineReader(MemorySource(Bytes(bytes)))
    let start = Int(reader.seal.directories[0])
    let hole = [UInt8](repeating: 0xAA, count: start - FileHeader.byteCount)
    let holed = bytes[..<FileHeader.byteCount] + hole + bytes[start...]
    let opened = try BaselineReader(MemorySource(Bytes(Array(holed))))
    #expect(opened.directory == reader.directory && opened.contentHash == reader.contentHash)
    #expect(throws: FormatError.self) { try opened.verify() }
  }

  @Test("another store, name or kind of file is told apart from damage")
  func wrongFile() throws {
    let bytes = try GoldenSpecs.baseline.encoded()
    let source = MemorySource(bytes, path: "b.vbase")
    let good = BaselineName(
      generation: 7, contentHash: try BaselineReader(source).contentHash)
    _ = try BaselineReader(source, store: GoldenSpecs.store, name: good)
    func code(
      _ source: MemorySource, store: StoreID? = nil, name: BaselineName? = nil
    ) -> FormatError? {
      do throws(FormatError) {
        _ = try BaselineReader(source, store: store, name: name)
        return nil
      } catch { return error }
    }
    let other = StoreID([UInt8](repeating: 3, count: 16))
    #expect(code(source, store: other)?.code == .wrongFile)
    #expect(code(source, store: other)?.path == "b.vbase")
    #expect(
      code(source, name: BaselineName(generation: 8, hash: good.hash))?.code == .wrongFile)
    #expect(
      code(source, name: BaselineName(generation: 7, hash: good.hash ^ 1))?.code == .wrongFile)
    #expect(code(MemorySource(try GoldenSpecs.tiny.encoded()))?.code == .wrongFile)
    #expect(code(MemorySource(Bytes([1, 2, 3])))?.code == .truncated)
    #expect(throws: FormatError.self) { try SegmentSpec(decoding: bytes) }
    var newer = bytes.array
    newer[8] = 1
    newer.replaceSubrange(0..<128, with: Reseal.fileHeader(Array(newer[..<128])).array)
    #expect(code(MemorySource(Bytes(newer)))?.code == .unknownVersion)
  }

  @Test("a block under the name of another column is refused")
  func otherColumn() throws {
    let reader = try BaselineReader(MemorySource(try GoldenSpecs.baseline.encoded()))
    let title = try #require(reader.directory.tables[0].runs[0].columns[1][0])
    _ = try reader.block(title, entity: 1, attribute: 1, type: .string)
    for (entity, attribute, type): (UInt32, UInt32, PhysicalType) in [
      (2, 1, .string), (1, 2, .string), (1, 1, .data),
    ] {
      #expect(throws: FormatError.self) {
        try reader.block(title, entity: entity, attribute: attribute, type: type)
      }
    }
    var claims = title
    claims.rows = 4
    #expect(throws: FormatError.self) {
      try reader.block(claims, entity: 1, attribute: 1, type: .string)
    }
    #expect(throws: FormatError.self) { try reader.side(title) }
  }
}
