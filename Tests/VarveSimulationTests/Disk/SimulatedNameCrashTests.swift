// What a crash does to names: rule 3 of Formats/Media.md.

import Testing
import Varve
import VarveTestSupport

@Suite("Crash of a simulated disk: names")
struct SimulatedNameCrashTests {
  let disk = SimulatedDisk()

  @Test("a new name is lost or kept until its directory is synced")
  func creation() throws {
    try disk.write([], toNew: "a")
    #expect(!disk.isDurable("a"))
    #expect(images() == [[:], ["a": []]])
    try disk.syncDirectory("/")
    #expect(disk.isDurable("a"))
    #expect(images() == [["a": []]])
  }

  @Test("a sync of the file does not make its name durable")
  func fileSync() throws {
    let file = try disk.open("a", .create)
    try file.write([1], at: 0)
    try file.sync(.full)
    #expect(images() == [[:], ["a": [1]]])
    #expect(!disk.isDurable && !disk.isDurable("a"))
  }

  @Test("a sync of the directory does not make the file's bytes durable")
  func directorySync() throws {
    try disk.write([1], toNew: "a")
    try disk.syncDirectory("/")
    #expect(images() == [["a": []], ["a": [0]], ["a": [1]]])
  }

  @Test("as on ext4, a sync of a new file can make its name durable")
  func fileSyncOnExt4() throws {
    disk.options.syncMakesNameDurable = true
    disk.setBytes(of: "b", to: [9])
    let file = try disk.open("a", .create)
    try disk.remove("b")
    try disk.rename("a", to: "b")
    try file.sync(.data)
    #expect(images() == [["b": []]])
  }

  @Test("a rename is atomic: the old name or the new one")
  func rename() throws {
    disk.setBytes(of: "a", to: [1])
    disk.setBytes(of: "b", to: [2])
    try disk.rename("a", to: "b")
    #expect(images() == [["a": [1], "b": [2]], ["b": [1]]])
    try disk.syncDirectory("/")
    #expect(images() == [["b": [1]]])
  }

  @Test("a removal may be lost")
  func removal() throws {
    disk.setBytes(of: "a", to: [1])
    try disk.remove("a")
    #expect(images() == [[:], ["a": [1]]])
    try disk.syncDirectory("/")
    #expect(images() == [[:]])
  }

  @Test("a later removal may be kept while an earlier rename is lost")
  func reordering() throws {
    disk.setBytes(of: "old", to: [1])
    disk.setBytes(of: "new.tmp", to: [2])
    try disk.rename("new.tmp", to: "new")
    try disk.remove("old")
    #expect(
      images() == [
        ["old": [1], "new.tmp": [2]], ["old": [1], "new": [2]], ["new.tmp": [2]], ["new": [2]],
      ])
  }

  @Test("a new file that was renamed is under the old name, the new one or none")
  func createAndRename() throws {
    try disk.write([], toNew: "a.tmp")
    try disk.rename("a.tmp", to: "a")
    #expect(images() == [[:], ["a.tmp": []], ["a": []]])
  }

  @Test("a file in a new directory is lost with the directory")
  func newDirectory() throws {
    try disk.makeDirectory("d")
    let file = try disk.open("d/a", .create)
    try file.write([1], at: 0)
    try file.sync(.full)
    try disk.syncDirectory("d")
    #expect(disk.crash(keeping: .nothingUnsynced).directories == [])
    #expect(images() == [[:], ["d/a": [1]]])
    #expect(!disk.isDurable("d/a"))
    try disk.syncDirectory("/")
    #expect(images() == [["d/a": [1]]])
    #expect(disk.isDurable("d/a"))
  }

  @Test("a rename between directories needs a sync of both")
  func renameBetweenDirectories() throws {
    let start = movedFile()
    try start.rename("d/a", to: "e/a")
    #expect(images(start) == [["d/a": [1]], ["e/a": [1]]])

    let target = start.clone()
    try target.syncDirectory("e")
    #expect(images(target) == [["d/a": [1], "e/a": [1]], ["e/a": [1]]])
    try target.syncDirectory("d")
    #expect(images(target) == [["e/a": [1]]])

    try start.syncDirectory("d")
    #expect(images(start) == [["d/a": [1]], ["e/a": [1]]])
    try start.syncDirectory("e")
    #expect(images(start) == [["e/a": [1]]])
  }

  @Test("a moved file is never lost when its old name is taken again")
  func nameTakenAgain() throws {
    let disk = movedFile()
    try disk.rename("d/a", to: "e/a")
    try disk.write([], toNew: "d/a")
    try disk.syncDirectory("d")
    #expect(images(disk) == [["d/a": [], "e/a": [1]]])
  }

  @Test("a directory that is renamed keeps what is in it")
  func renamedDirectory() throws {
    let disk = movedFile()
    try disk.rename("d", to: "f")
    #expect(images(disk) == [["d/a": [1]], ["f/a": [1]]])
  }

  @Test("a lock file is a new name like any other")
  func lockFile() throws {
    let lock = try disk.lock("lock")
    #expect(images() == [[:], ["lock": []]])
    lock.release()
  }

  @Test("of two names that cross, every combination can be found")
  func independence() throws {
    for name in ["a", "b", "c"] { try disk.write([], toNew: name) }
    #expect(images().count == 8)
  }

  private func movedFile() -> SimulatedDisk {
    let disk = SimulatedDisk()
    disk.setBytes(of: "d/a", to: [1])
    disk.setDirectory("e")
    return disk
  }

  private func images(_ other: SimulatedDisk? = nil) -> Set<[String: [UInt8]]> {
    let disk = other ?? disk
    return Set(
      disk.crashChoices().map { choice in
        let after = disk.crash(keeping: choice)
        return Dictionary(uniqueKeysWithValues: after.paths.map { ($0, after.bytes(of: $0) ?? []) })
      })
  }
}
