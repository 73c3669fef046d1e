// The commands judge segments as the engine does.

import Foundation
import Testing
import VarveFormat
import VarveTestSupport

@Suite("Commands: one rule")
struct OneRuleTests {
  /// A segment whose frame at `offset` was changed and has right hashes all the same.
  private func forged(
    _ segment: [UInt8], at offset: Int, _ change: (inout [UInt8]) -> Void
  ) throws -> [UInt8] {
    var bytes = segment
    let salt = try FileHeader(Bytes(segment)).salt
    let header = Array(segment[offset..<offset + 40])
    let length = header[8..<12].reversed().reduce(0) { $0 << 8 | Int($1) }
    var payload = Array(segment[offset + 40..<offset + 40 + length])
    change(&payload)
    let seed = Checksum.hash64(seed: salt ^ UInt64(offset), Bytes(Array(header[4..<32])))
    let hash = Checksum.hash64(seed: seed, Bytes(payload))
    for index in 0..<8 {
      bytes[offset + 32 + index] = UInt8(truncatingIfNeeded: hash >> (8 * index))
    }
    bytes.replaceSubrange(offset + 40..<offset + 40 + length, with: payload)
    return bytes
  }

  private func frames(_ bytes: [UInt8]) throws -> [(FrameType, Int)] {
    var scanner = try SegmentScanner(MemorySource(Bytes(bytes)))
    var list: [(FrameType, Int)] = []
    while case .frame(let frame) = try scanner.next() {
      list.append((frame.header.type, Int(frame.offset)))
      if frame.header.type == .seal { break }
    }
    return list
  }

  @Test("a SEAL that counts other transactions is damage at level normal")
  func sealCount() throws {
    try CommandFixture.run { fixture in
      let sound = fixture.segment(try (0..<2).map { try LogFixture.draft($0) })
      let seal = try #require(try frames(sound).last)
      try fixture.write("s.vlog", try forged(sound, at: seal.1) { $0[16] += 1 })
      let run = fixture.tool("verify", "@s.vlog")
      #expect(run.code == 3)
      #expect(run.output.contains("corruption badSeal"))
    }
  }

  @Test("a last transaction of a newer version is reported, not taken for the end")
  func newerTransaction() throws {
    try CommandFixture.run { fixture in
      let drafts = try (0..<2).map { try LogFixture.draft($0) }
      let sound = fixture.segment(drafts, isSealed: false)
      let last = try #require(try frames(sound).last { $0.0 == .transaction })
      try fixture.write("s.vlog", try forged(sound, at: last.1) { $0[24] = 99 })
      let run = fixture.tool("verify", "@s.vlog")
      #expect(run.output.contains("unknown unknownVersion"), "\(run.output)\(run.errors)")
      #expect(fixture.tool("verify", "--strict", "@s.vlog").code == 6)
    }
  }

  @Test("a frame of a newer version in the newest segment of a store is reported like any other")
  func newerFrame() throws {
    try CommandFixture.run { fixture in
      let drafts = try (0..<2).map { try LogFixture.draft($0) }
      let sound = fixture.segment(drafts, isSealed: false)
      // A type without bit 7 stops a reader that does not know it.
      let type = FrameType(rawValue: 0x2A)
      let bytes = fixture.segment(drafts, hints: [(.schema, [0]), (type, [9])], isSealed: false)
      #expect(bytes.count > sound.count)
      let header = try FileHeader(Bytes(bytes))
      let directory = "store/log/\(header.replica)"
      try FileManager.default.createDirectory(
        atPath: fixture.path(directory), withIntermediateDirectories: true)
      try fixture.write("\(directory)/\(SegmentName.open(ordinal: 1))", bytes)
      let run = fixture.tool("verify", "@store")
      #expect(run.output.contains("unknown unknownFrame"), "\(run.output)\(run.errors)")
      #expect(fixture.tool("log", "@store").output.contains("unknown(kind=0x2a"))
    }
  }
}
