// Dumps of superblocks.

import Testing
import VarveFormat

@Suite("Dump: superblocks")
struct SuperblockDumpTests {
  private func slot(_ counter: UInt64) -> [UInt8] {
    var superblock = Superblock(
      store: StoreID([UInt8](repeating: 1, count: 16)),
      replica: ReplicaID([UInt8](repeating: 2, count: 16)))
    superblock.counter = counter
    superblock.isClean = counter == 4
    superblock.openOrdinal = 2
    superblock.durableMark = 300
    superblock.host = 0xAB
    return superblock.encoded.array
  }

  @Test("both slots print, and the valid one with the higher counter is chosen")
  func slots() throws {
    let lines = try DumpLines.text(Bytes(slot(4) + slot(3)))
    #expect(lines.count == 6)
    #expect(lines[0] == "superblock bytes=8192")
    #expect(lines[1] == "slot index=0 state=valid")
    #expect(
      lines[2] == "  fields version=0.1 store=aeaqcaibaeaqcaibaeaqcaibae "
        + "replica=aibaeaqcaibaeaqcaibaeaqcai counter=4 flags=clean openOrdinal=2 durableMark=300 "
        + "lastAccepted=0 lastSequence=0 chain=\(String(repeating: "0", count: 32)) "
        + "maxStamp=0000000000000000 inode=0 host=00000000000000ab baseline=0000000000000000 "
        + "baselineBytes=0")
    #expect(lines[4].contains(" counter=3 flags=none "))
    #expect(lines[5] == "end chosen=0")
  }

  @Test("slots are valid, empty or invalid, and another length is an error")
  func states() throws {
    let zeros = [UInt8](repeating: 0, count: 4_096)
    let (empty, good) = try DumpLines.text(Bytes(zeros + slot(1)), DumpOptions())
    #expect(empty[1] == "slot index=0 state=empty")
    #expect(empty.last == "end chosen=1")
    #expect(good.damages == 0)
    let (misplaced, found) = try DumpLines.text(Bytes(slot(3) + zeros), DumpOptions())
    #expect(misplaced[1] == "slot index=0 state=invalid")
    #expect(misplaced.last == "end chosen=none")
    #expect(found.damages == 1)
    let short = try DumpLines.text(Bytes(slot(4) + slot(3).prefix(99)))
    #expect(
      short.suffix(3) == [
        "slot index=1 state=invalid", "error offset=4195 code=truncated", "end chosen=0",
      ])
    let long = try DumpLines.text(Bytes(slot(4) + slot(3) + [0]))
    #expect(long.suffix(2) == ["error offset=8192 code=badLength", "end chosen=0"])
    #expect(throws: FormatError.self) { try DumpLines.text(Bytes(zeros + zeros)) }
  }
}
