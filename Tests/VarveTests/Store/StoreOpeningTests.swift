// What opening a store reads, and where writing goes on behind damage.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: opening")
struct StoreOpeningTests {
  private static let options = LogFixture.options(segmentBytes: 9_000)

  /// A closed store with several segments.
  private static func filled(_ disk: SimulatedDisk, compacts: Bool) throws -> [ObjectID] {
    let store = try StoreFixture.create(disk, options: options)
    var generator = SplitMix64(seed: 9)
    var items: [ObjectID] = []
    for _ in 0..<60 {
      let title = (0..<60).map { _ in String(generator.next(), radix: 36) }.joined()
      items.append(try store.write { try $0.insert("Item", ["title": .string(title)]) })
    }
    if compacts { try store.compact() }
    try store.close()
    return items
  }

  private static func segments(_ disk: SimulatedDisk) -> [String] {
    disk.paths.filter { $0.hasSuffix(".vlog") }.sorted()
  }

  /// Changes a byte in the middle of a file.
  private static func damage(_ path: String, _ disk: SimulatedDisk) throws {
    var bytes = try #require(disk.bytes(of: path))
    bytes[bytes.count / 2] ^= 0x40
    disk.setBytes(of: path, to: bytes)
  }

  @Test(
    "what is written behind a damaged segment is there after the next opening (Q51)",
    arguments: [0, 1, 2, -1])
  func behindDamage(number: Int) throws {
    let disk = SimulatedDisk()
    let items = try StoreOpeningTests.filled(disk, compacts: false)
    let segments = StoreOpeningTests.segments(disk)
    #expect(segments.count > 3)
    try StoreOpeningTests.damage(
      number < 0 ? segments[segments.count - 1] : segments[number], disk)
    var store = try StoreFixture.open(disk, options: StoreOpeningTests.options)
    #expect(store.report.isDamaged)
    let count = store.snapshot().count("Item")
    #expect(count < items.count)
    let later = try store.write { try $0.insert("Item", ["title": "later"]) }
    try store.close()
    store = try StoreFixture.open(disk, options: StoreOpeningTests.options, seed: 200)
    #expect(store.snapshot().object(later)?["title"] == "later")
    #expect(store.snapshot().count("Item") == count + 1)
    try store.close()
  }

  @Test("over a baseline opening reads neither columns nor the newest segment")
  func bytesRead() throws {
    let disk = SimulatedDisk()
    let items = try StoreOpeningTests.filled(disk, compacts: true)
    let newest = try #require(StoreOpeningTests.segments(disk).last)
    // Whatever is damaged between header and SEAL is not looked at.
    try StoreOpeningTests.damage(newest, disk)
    let store = try StoreFixture.open(disk, options: StoreOpeningTests.options)
    #expect(!store.report.isDamaged && store.report.recovery.continuesReplica)
    #expect(store.snapshot().count("Item") == items.count)
    let later = try store.write { try $0.insert("Item", ["title": "later"]) }
    try store.close()
    let again = try StoreFixture.open(disk, options: StoreOpeningTests.options, seed: 200)
    #expect(again.snapshot().object(later)?["title"] == "later")
    #expect(again.report.replayedTransactions == 1)
  }

  @Test("a segment that begins after such an opening carries the schema in its hint")
  func schemaHint() throws {
    let disk = SimulatedDisk()
    _ = try StoreOpeningTests.filled(disk, compacts: true)
    let store = try StoreFixture.open(disk, options: StoreOpeningTests.options)
    try store.write { try $0.insert("Item", ["title": "later"]) }
    try store.close()
    let newest = try #require(StoreOpeningTests.segments(disk).last)
    var hints: [SchemaOperation] = []
    var scanner = try SegmentScanner(FileSource(disk, newest))
    _ = try scanner.readAll(
      hint: { frame throws(FormatError) in hints = try SchemaHint.decode(try frame.payload()) })
    let names = hints.compactMap { operation -> String? in
      guard case .entity(_, let label, _) = operation else { return nil }
      return label
    }
    #expect(Set(names) == ["Project", "Item", "Person"])
  }

  @Test("when SEAL, trailer or name disagree the newest segment is read as ever")
  func contradiction() throws {
    let disk = SimulatedDisk()
    let items = try StoreOpeningTests.filled(disk, compacts: true)
    let newest = try #require(StoreOpeningTests.segments(disk).last)
    var bytes = try #require(disk.bytes(of: newest))
    bytes[bytes.count - 60] ^= 1
    disk.setBytes(of: newest, to: bytes)
    let store = try StoreFixture.open(disk, options: StoreOpeningTests.options)
    #expect(store.report.recovery.isDamaged && !store.report.recovery.continuesReplica)
    #expect(store.snapshot().count("Item") == items.count)
  }
}
