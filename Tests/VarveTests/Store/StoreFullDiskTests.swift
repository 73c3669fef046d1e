// A disk that fills up under a store.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: full disk")
struct StoreFullDiskTests {
  @Test("what a full disk refused is in no graph, and writing goes on when there is space (D7)")
  func refused() throws {
    let disk = SimulatedDisk()
    let store = try StoreFixture.create(disk)
    let item = try store.write { try $0.insert("Item", ["title": "kept"]) }
    let used = disk.paths.reduce(0) { $0 + (disk.bytes(of: $1)?.count ?? 0) }
    disk.options.capacity = UInt64(used)
    var refusals = 0
    for number in 0..<40 {
      let title = String(repeating: "long \(number) ", count: 200)
      do {
        try store.write { try $0.set(item, "title", .string(title)) }
      } catch let error as StoreError {
        #expect(error.code == .diskFull)
        refusals += 1
      }
    }
    #expect(refusals > 0)
    disk.options.capacity = nil
    let next = try store.write { try $0.insert("Item", ["title": "later"]) }
    #expect(store.snapshot().object(next)?["title"] == "later")
    let digest = store.digest()
    #expect(try store.rebuild())
    #expect(store.digest() == digest)
    try store.close()
    #expect(try StoreFixture.open(disk).digest() == digest)
  }
}
