// Requirements of disks: opening, reading, writing, truncating, closing. Layer: test support.

import Varve

extension DiskConformance {
  static let files = [
    DiskConformance("a created file is empty and holds what is written to it") { disk, root in
      let file = try disk.open(root + "/a", .create)
      try require(try file.length(), equals: 0)
      try require(file.path, equals: root + "/a")
      try file.write([1, 2, 3], at: 0)
      try require(try file.length(), equals: 3)
      try require(try file.read(3, at: 0), equals: [1, 2, 3])
      try file.close()
      try require(try disk.readAll(root + "/a"), equals: [1, 2, 3])
    },
    DiskConformance("create refuses a name that exists") { disk, root in
      try disk.write([1], toNew: root + "/a")
      try disk.makeDirectory(root + "/d")
      try requireFailure(.exists) { () throws(DiskError) in _ = try disk.open(root + "/a", .create)
      }
      try requireFailure(.exists) { () throws(DiskError) in _ = try disk.open(root + "/d", .create)
      }
      try require(try disk.readAll(root + "/a"), equals: [1])
    },
    DiskConformance("opening what is missing creates nothing") { disk, root in
      for mode in [OpenMode.read, .readWrite] {
        try requireFailure(.notFound) { () throws(DiskError) in _ = try disk.open(root + "/a", mode)
        }
      }
      try requireFailure(.notFound) { () throws(DiskError) in
        _ = try disk.open(root + "/d/a", .create)
      }
      try require(try disk.list(root), equals: [])
    },
    DiskConformance("a directory is not opened as a file") { disk, root in
      for mode in [OpenMode.read, .readWrite] {
        try requireFailure(.isDirectory) { () throws(DiskError) in _ = try disk.open(root, mode) }
      }
    },
    DiskConformance("a path that leads through a file is refused") { disk, root in
      try disk.write([], toNew: root + "/a")
      for mode in [OpenMode.read, .readWrite, .create] {
        try requireFailure(.notDirectory) { () throws(DiskError) in
          _ = try disk.open(root + "/a/b", mode)
        }
      }
      try requireFailure(.notDirectory) { () throws(DiskError) in _ = try disk.status(root + "/a/b")
      }
      try requireFailure(.notDirectory) { () throws(DiskError) in
        try disk.makeDirectory(root + "/a/b")
      }
      try requireFailure(.notDirectory) { () throws(DiskError) in try disk.remove(root + "/a/b") }
    },
    DiskConformance("a read gives fewer bytes only at the end") { disk, root in
      let file = try disk.open(root + "/a", .create)
      try file.write([1, 2, 3, 4], at: 0)
      try require(try file.read(10, at: 0), equals: [1, 2, 3, 4])
      try require(try file.read(2, at: 1), equals: [2, 3])
      try require(try file.read(10, at: 3), equals: [4])
      try require(try file.read(10, at: 4), equals: [])
      try require(try file.read(10, at: 1 << 40), equals: [])
      try require(try file.read(0, at: 0), equals: [])
    },
    DiskConformance("two handles of one file see each other's writes") { disk, root in
      let writer = try disk.open(root + "/a", .create)
      let reader = try disk.open(root + "/a", .read)
      try writer.write([7], at: 0)
      try require(try reader.read(1, at: 0), equals: [7])
    },
    DiskConformance("a file opened for reading cannot be changed, but synced") { disk, root in
      try disk.write([1], toNew: root + "/a")
      let file = try disk.open(root + "/a", .read)
      try requireFailure(.noPermission) { () throws(DiskError) in try file.write([2], at: 0) }
      try requireFailure(.noPermission) { () throws(DiskError) in try file.truncate(to: 0) }
      try file.sync(.data)
      try file.sync(.full)
      try require(try disk.readAll(root + "/a"), equals: [1])
    },
    DiskConformance("a closed file fails every call but close") { disk, root in
      let file = try disk.open(root + "/a", .create)
      try file.close()
      try file.close()
      try requireFailure(.closed) { () throws(DiskError) in _ = try file.length() }
      try requireFailure(.closed) { () throws(DiskError) in _ = try file.read(1, at: 0) }
      try requireFailure(.closed) { () throws(DiskError) in try file.write([1], at: 0) }
      try requireFailure(.closed) { () throws(DiskError) in try file.sync(.data) }
      try requireFailure(.closed) { () throws(DiskError) in try file.truncate(to: 1) }
    },
  ]

  static let writes = [
    DiskConformance("pieces are written one behind the other") { disk, root in
      let file = try disk.open(root + "/a", .create)
      try write([[1, 2], [], [3], [4, 5, 6]], to: file, at: 2)
      try require(try file.read(10, at: 0), equals: [0, 0, 1, 2, 3, 4, 5, 6])
      try write([], to: file, at: 100)
      try write([[]], to: file, at: 100)
      try write([[], []], to: file, at: 100)
      try require(try file.length(), equals: 8)
    },
    DiskConformance("more pieces than one call of the system takes are all written") { disk, root in
      let file = try disk.open(root + "/a", .create)
      let pieces = (0..<3000).map { index in
        [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: index % 5)
      }
      try write(pieces, to: file, at: 0)
      try require(try disk.readAll(root + "/a"), equals: pieces.flatMap { $0 })
    },
    DiskConformance("an overwrite leaves its neighbours alone") { disk, root in
      let file = try disk.open(root + "/a", .create)
      try file.write([UInt8](repeating: 1, count: 2000), at: 0)
      try file.write([UInt8](repeating: 2, count: 600), at: 500)
      var expected = [UInt8](repeating: 1, count: 2000)
      expected.replaceSubrange(500..<1100, with: repeatElement(2, count: 600))
      try require(try file.read(3000, at: 0), equals: expected)
    },
    DiskConformance("truncate cuts, and extends with zeros") { disk, root in
      let file = try disk.open(root + "/a", .create)
      try file.write([1, 2, 3, 4], at: 0)
      try file.truncate(to: 2)
      try require(try file.length(), equals: 2)
      try file.truncate(to: 5)
      try require(try file.read(10, at: 0), equals: [1, 2, 0, 0, 0])
      try file.write([9], at: 6)
      try require(try file.read(10, at: 0), equals: [1, 2, 0, 0, 0, 0, 9])
    },
    DiskConformance("offsets beyond what a file can have are refused") { disk, root in
      let file = try disk.open(root + "/a", .create)
      let far = UInt64(Int64.max)
      try requireFailure(.unsupported) { () throws(DiskError) in try file.write([1], at: .max) }
      try requireFailure(.unsupported) { () throws(DiskError) in try file.write([1], at: far) }
      try requireFailure(.unsupported) { () throws(DiskError) in _ = try file.read(1, at: .max) }
      try requireFailure(.unsupported) { () throws(DiskError) in try file.truncate(to: .max) }
      try require(try file.length(), equals: 0)
    },
  ]

  private static func write(
    _ pieces: [[UInt8]], to file: any DiskFile, at offset: UInt64
  ) throws(DiskError) {
    let whole = pieces.flatMap { $0 }
    try whole.span.withUnsafeBytes { (buffer) throws(DiskError) in
      var start = 0
      let parts = pieces.map { piece in
        defer { start += piece.count }
        // SAFETY: the parts lie in `buffer` and are used within the closure only.
        return UnsafeRawBufferPointer(rebasing: buffer[start..<start + piece.count])
      }
      try file.write(parts, at: offset)
    }
  }
}
