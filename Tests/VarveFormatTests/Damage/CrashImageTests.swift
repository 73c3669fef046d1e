// What a crash can leave: any subset of the sectors that were not synced, cut at any length. The
// verdicts must call that a crash, and must not call it damage.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Crash images")
struct CrashImageTests {
  private struct Scene {
    var bytes: [UInt8]
    /// Everything below was synced.
    var synced: Int
    var acknowledged: Int
  }

  private func scene(_ random: inout FormatRandom) throws -> Scene {
    var spec = DamageSamples.rows(
      groups: random.within(1...3), bytesMax: 300, salt: random.word(), seed: random.word())
    let synced = try spec.encoded().count
    let acknowledged = spec.transactions.count
    // Groups that were written and not synced; they promise the synced offset and no more.
    let durable = spec.items.count
    for number in 0..<random.within(1...3) {
      var list = (0..<random.within(1...2)).map { index in
        DamageSamples.transaction(
          acknowledged + number * 2 + index, bytes: random.within(1...600), &random)
      }
      if random.chance(25) { list.append(random.columnTransaction(rows: random.within(1...60))) }
      spec.items.append(.init(.group(list), durableItems: durable))
    }
    let bytes = try spec.encoded().array
    return Scene(bytes: bytes, synced: synced, acknowledged: acknowledged)
  }

  private func images(_ scene: Scene, _ random: inout FormatRandom) -> [[UInt8]] {
    let sectors = Array(scene.synced / 512...(scene.bytes.count - 1) / 512)
    let subsets = sectors.count <= 7 ? Array(0..<1 << sectors.count) : []
    let chosen =
      subsets.isEmpty ? (0..<128).map { _ in Int(random.word() & 0xFFFF_FFFF) } : subsets
    var images: [[UInt8]] = []
    for subset in chosen {
      var image = scene.bytes
      for (index, sector) in sectors.enumerated() where subset >> index & 1 == 0 {
        let range = max(scene.synced, sector * 512)..<min(image.count, sector * 512 + 512)
        image.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
      }
      let border = min(image.count, (random.pick(sectors) + 1) * 512)
      for length in Set([
        image.count, scene.synced, random.within(scene.synced...image.count), border,
      ])
      where length >= scene.synced {
        images.append(Array(image[..<length]))
      }
      images.append(image + [UInt8](repeating: 0, count: 1_000))
    }
    return images
  }

  @Test("a crash loses nothing that was acknowledged and is called clean or torn")
  func crashes() throws {
    var random = TestRun.random()
    var counts = OutcomeCounts()
    for _ in 0..<12 * TestRun.scale {
      let scene = try scene(&random)
      let whole = SegmentOutcome(reading: scene.bytes)
      for image in images(scene, &random) {
        for mark in [UInt64(scene.synced), 0] {
          let outcome = SegmentOutcome(reading: image, durableMark: mark)
          counts.add(outcome)
          #expect(outcome.isPrefix(of: whole))
          #expect(outcome.content.count >= scene.acknowledged)
          #expect(outcome.verdict == .clean || outcome.verdict == .torn)
        }
      }
    }
    print("crash images \(counts)")
    #expect(counts["clean"] > 0 && counts["torn"] > 0)
  }

  @Test("a rotten byte below what was synced is never called a crash, whatever the crash left")
  func rotBelow() throws {
    var random = TestRun.random()
    var counts = OutcomeCounts()
    for _ in 0..<5 * TestRun.scale {
      let scene = try scene(&random)
      let whole = SegmentOutcome(reading: scene.bytes)
      for image in images(scene, &random).prefix(60) {
        var rotten = image
        let place = random.within(128...(scene.synced - 1))
        rotten[place] ^= 1 << UInt8(random.below(8))
        let outcome = SegmentOutcome(reading: rotten, durableMark: UInt64(scene.synced))
        counts.add(outcome)
        #expect(outcome.isPrefix(of: whole))
        #expect(outcome.verdict == .corrupt)
      }
    }
    print("crash images with rot \(counts)")
  }
}
