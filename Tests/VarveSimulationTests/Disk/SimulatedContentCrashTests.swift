// What a crash does to the bytes and lengths of files: rules 1, 2 and 4 of Formats/Media.md.

import Testing
import Varve
import VarveTestSupport

@Suite("Crash of a simulated disk: contents")
struct SimulatedContentCrashTests {
  let disk = SimulatedDisk()
  let file: any DiskFile

  // A durable name, so that only contents are at stake.
  init() throws {
    file = try disk.open("a", .create)
    try disk.syncDirectory("/")
  }

  @Test("synced bytes survive every crash", arguments: [SyncKind.data, .full])
  func syncedBytes(_ kind: SyncKind) throws {
    let bytes = pattern(1000)
    try file.write(bytes, at: 0)
    #expect(!disk.isDurable("a"))
    try file.sync(kind)
    #expect(disk.isDurable("a") && disk.isDurable)
    #expect(disk.unsyncedUnits.isEmpty)
    #expect(images() == [bytes])
    for seed in 0..<20 {
      #expect(disk.crash(keeping: .random(UInt64(seed))).bytes(of: "a") == bytes)
    }
  }

  @Test("un-synced bytes are lost, kept, or there in part")
  func unsyncedBytes() throws {
    let bytes = pattern(1000)
    try file.write(bytes, at: 0)
    #expect(disk.crash(keeping: .nothingUnsynced).bytes(of: "a") == [])
    #expect(disk.crash(keeping: .everything).bytes(of: "a") == bytes)
    let zeros = [UInt8](repeating: 0, count: 1000)
    let expected: Set<[UInt8]> = [
      [], Array(bytes[..<512]), Array(zeros[..<512]),
      bytes, zeros, Array(bytes[..<512] + zeros[512...]), Array(zeros[..<512] + bytes[512...]),
    ]
    #expect(images() == expected)
  }

  @Test("an overwritten sector is old or new, each on its own")
  func overwrite() throws {
    let old = pattern(1536)
    try file.write(old, at: 0)
    try file.sync(.data)
    let new = [UInt8](repeating: 0xFF, count: 1536)
    try file.write(new, at: 0)
    let result = images()
    #expect(result.count == 8)
    for image in result {
      for start in stride(from: 0, to: 1536, by: 512) {
        let sector = image[start..<start + 512]
        #expect(sector == old[start..<start + 512] || sector == new[start..<start + 512])
      }
    }
  }

  @Test("bytes outside a write are never touched")
  func neighbours() throws {
    let old = pattern(2048)
    try file.write(old, at: 0)
    try file.sync(.data)
    try file.write([UInt8](repeating: 0xFF, count: 600), at: 700)
    for image in images() {
      #expect(image.count == 2048)
      #expect(image[..<700] == old[..<700])
      #expect(image[1300...] == old[1300...])
    }
    #expect(images().count == 4)
  }

  @Test("of several writes to a sector any one may be the last to reach it")
  func versions() throws {
    try file.write([1, 1, 1, 1], at: 0)
    try file.sync(.data)
    try file.write([2, 2], at: 0)
    try file.write([3, 3], at: 1)
    #expect(images() == [[1, 1, 1, 1], [2, 2, 1, 1], [2, 3, 3, 1]])
  }

  @Test("a write that begins in a durable sector keeps that sector's durable part")
  func append() throws {
    try file.write([1, 2], at: 0)
    try file.sync(.data)
    try file.write([3, 4], at: 2)
    #expect(images() == [[1, 2], [1, 2, 0, 0], [1, 2, 3, 4]])
  }

  @Test("an un-synced truncation may be lost")
  func truncation() throws {
    try file.write([1, 2, 3, 4], at: 0)
    try file.sync(.data)
    try file.truncate(to: 2)
    #expect(images() == [[1, 2, 3, 4], [1, 2, 0, 0], [1, 2]])
    try file.sync(.data)
    #expect(images() == [[1, 2]])
    try file.truncate(to: 4)
    #expect(images() == [[1, 2], [1, 2, 0, 0]])
  }

  @Test("what was cut off does not come back after a sync")
  func truncateAndAppend() throws {
    try file.write(pattern(1024), at: 0)
    try file.sync(.data)
    try file.truncate(to: 100)
    try file.write([9], at: 700)
    try file.sync(.data)
    let expected = Array(pattern(1024)[..<100]) + [UInt8](repeating: 0, count: 600) + [9]
    #expect(images() == [expected])
    #expect(disk.bytes(of: "a") == expected)
  }

  @Test("the length may be any that the file had, or lie at a sector between")
  func lengths() throws {
    try file.write([1], at: 0)
    try file.sync(.data)
    try file.write([2], at: 1300)
    #expect(Set(images().map(\.count)) == [1, 512, 1024, 1301])
  }

  @Test("a file removed for certain is not among the un-synced units")
  func removedFile() throws {
    try file.write(pattern(100), at: 0)
    #expect(disk.unsyncedUnits.count == 2)
    try disk.remove("a")
    #expect(disk.unsyncedUnits.count == 3)
    try disk.syncDirectory("/")
    #expect(disk.unsyncedUnits.isEmpty)
  }

  @Test("a random crash gives only possible images, many of them, the same for the same seed")
  func randomCrashes() throws {
    try file.write(pattern(1024), at: 0)
    try file.sync(.data)
    try file.write([UInt8](repeating: 0xFF, count: 1500), at: 100)
    let possible = images()
    let found = (0..<400).map { disk.crash(keeping: .random($0)).bytes(of: "a") ?? [] }
    #expect(found.allSatisfy { possible.contains($0) })
    #expect(Set(found).count > 8)
    #expect(found[17] == disk.crash(keeping: .random(17)).bytes(of: "a"))
  }

  @Test("a second crash of what a crash left changes nothing")
  func secondCrash() throws {
    try file.write(pattern(1500), at: 0)
    for seed in 0..<20 {
      let after = disk.crash(keeping: .random(UInt64(seed)))
      #expect(after.isDurable)
      let second = after.crash(keeping: .nothingUnsynced)
      #expect(second.bytes(of: "a") == after.bytes(of: "a"))
    }
  }

  private func images() -> Set<[UInt8]> {
    Set(disk.crashChoices().map { disk.crash(keeping: $0).bytes(of: "a") ?? [0xEE] })
  }

  private func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8($0 % 250 + 1) }
  }
}
