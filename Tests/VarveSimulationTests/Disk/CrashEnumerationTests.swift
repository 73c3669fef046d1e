// Going through all crashes of a small program: an atomic replacement of a file, done right and
// done wrong.

import Testing
import Varve
import VarveTestSupport

@Suite("Enumeration of crashes")
struct CrashEnumerationTests {
  static let old = [UInt8](repeating: 1, count: 700)
  static let new = [UInt8](repeating: 2, count: 900)

  @Test("write, sync, rename, sync of the directory (D1) is safe in every crash at every call")
  func correctReplacement() throws {
    let outcomes = try crashEverywhere(Self.replace(syncFile: true, syncDirectory: true))
    #expect(outcomes == [.old, .new])
  }

  @Test("after its last step the new content is there for certain")
  func acknowledged() throws {
    let disk = Self.preparedDisk()
    try Self.replace(syncFile: true, syncDirectory: true)(disk)
    #expect(disk.isDurable)
    #expect(Self.outcomes(of: disk) == [.new])
  }

  @Test("without the sync of the file the enumeration finds a torn one")
  func missingFileSync() throws {
    let outcomes = try crashEverywhere(Self.replace(syncFile: false, syncDirectory: true))
    #expect(outcomes == [.old, .new, .torn])
  }

  @Test("without the sync of the directory the new content is not certain")
  func missingDirectorySync() throws {
    let disk = Self.preparedDisk()
    try Self.replace(syncFile: true, syncDirectory: false)(disk)
    #expect(Self.outcomes(of: disk) == [.old, .new])
  }

  @Test("removing the old file before a rename is durable can lose both")
  func earlyRemoval() throws {
    let disk = SimulatedDisk()
    disk.setBytes(of: "d/state", to: Self.old)
    let file = try disk.open("d/next.tmp", .create)
    try file.write(Self.new, at: 0)
    try file.sync(.full)
    try disk.rename("d/next.tmp", to: "d/next")
    try disk.remove("d/state")
    let images = disk.crashChoices().map { disk.crash(keeping: $0).paths }
    #expect(images.contains([]))
  }

  @Test("the choices give each image of a small change once")
  func distinctImages() throws {
    let disk = SimulatedDisk()
    disk.setBytes(of: "a", to: [UInt8](repeating: 1, count: 1100))
    let file = try disk.open("a", .readWrite)
    try file.write([UInt8](repeating: 2, count: 1000), at: 600)
    let choices = disk.crashChoices()
    let images = choices.map { disk.crash(keeping: $0).bytes(of: "a") ?? [] }
    // Lengths 1100, 1536 and 1600; sectors 1 and 2 always, sector 3 only when the file reaches that
    // far.
    #expect(choices.count == 4 + 4 + 8)
    #expect(Set(images).count == choices.count)
  }

  @Test("all masks together give the same images as the choices")
  func allMasks() throws {
    let disk = SimulatedDisk()
    disk.setBytes(of: "a", to: [1, 1, 1])
    let file = try disk.open("a", .readWrite)
    try file.write([2], at: 0)
    try file.write([3, 3], at: 2)
    try file.truncate(to: 2)
    try disk.rename("a", to: "b")
    let units = disk.unsyncedUnits
    #expect(units.map(\.description).last == "rename a b")
    let masks = (0..<(1 << units.count)).map { bits in
      CrashChoice.subset(units.indices.map { bits >> $0 & 1 == 1 })
    }
    #expect(Self.images(disk, masks) == Self.images(disk, disk.crashChoices()))
  }

  @Test("more images than the limit are sampled, from a seed")
  func sampling() throws {
    let disk = SimulatedDisk()
    try disk.write([UInt8](repeating: 1, count: 512 * 20), toNew: "a")
    let choices = disk.crashChoices(limit: 100, seed: 5)
    #expect(choices.count == 100)
    #expect(choices.prefix(2) == [.nothingUnsynced, .everything])
    #expect(choices == disk.crashChoices(limit: 100, seed: 5))
    #expect(choices != disk.crashChoices(limit: 100, seed: 6))
    #expect(disk.crashChoices(limit: 1 << 12).count == 1 << 12)
  }

  @Test("a disk without un-synced changes has one image")
  func nothingUnsynced() {
    #expect(SimulatedDisk().crashChoices() == [.subset([])])
  }

  // MARK: The example

  enum Outcome: Hashable {
    case old, new, torn, missing
  }

  private static func preparedDisk() -> SimulatedDisk {
    let disk = SimulatedDisk()
    disk.setBytes(of: "d/state", to: old)
    return disk
  }

  private static func replace(
    syncFile: Bool, syncDirectory: Bool
  ) -> (SimulatedDisk) throws -> Void {
    { disk in
      let file = try disk.open("d/state.tmp", .create)
      try file.write(new, at: 0)
      if syncFile { try file.sync(.full) }
      try file.close()
      try disk.rename("d/state.tmp", to: "d/state")
      if syncDirectory { try disk.syncDirectory("d") }
    }
  }

  /// Stops at each call that changes the disk and goes through all crashes there.
  private func crashEverywhere(_ program: (SimulatedDisk) throws -> Void) throws -> Set<Outcome> {
    var found: Set<Outcome> = []
    for count in 1...100 {
      let disk = Self.preparedDisk()
      disk.freezeAfter(calls: count)
      let failed = (try? program(disk)) == nil
      #expect(failed == disk.isFrozen)
      found.formUnion(Self.outcomes(of: disk))
      if !failed { return found }
    }
    throw CancellationError()
  }

  private static func outcomes(of disk: SimulatedDisk) -> Set<Outcome> {
    Set(
      disk.crashChoices().map { choice in
        switch disk.crash(keeping: choice).bytes(of: "d/state") {
        case old: .old
        case new: .new
        case nil: .missing
        default: .torn
        }
      })
  }

  private static func images(
    _ disk: SimulatedDisk, _ choices: [CrashChoice]
  ) -> Set<[String: [UInt8]]> {
    Set(
      choices.map { choice in
        let after = disk.crash(keeping: choice)
        return Dictionary(uniqueKeysWithValues: after.paths.map { ($0, after.bytes(of: $0) ?? []) })
      })
  }
}
