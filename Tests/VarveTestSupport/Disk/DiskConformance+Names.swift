// Requirements of disks: directories, names, locks. Layer: test support.

import Varve

extension DiskConformance {
  static let names = [
    DiskConformance("making a directory that exists is no error") { disk, root in
      try disk.makeDirectory(root + "/d")
      try disk.makeDirectory(root + "/d")
      try disk.write([], toNew: root + "/a")
      try requireFailure(.exists) { () throws(DiskError) in try disk.makeDirectory(root + "/a") }
      try requireFailure(.notFound) { () throws(DiskError) in try disk.makeDirectory(root + "/x/y")
      }
    },
    DiskConformance("rename moves a file, also to another directory, and replaces the target") {
      disk, root in
      try disk.makeDirectory(root + "/d")
      try disk.write([1], toNew: root + "/a")
      try disk.write([2], toNew: root + "/d/b")
      let open = try disk.open(root + "/a", .read)
      try disk.rename(root + "/a", to: root + "/d/b")
      try require(try disk.list(root), equals: ["d"])
      try require(try disk.readAll(root + "/d/b"), equals: [1])
      try require(try open.read(1, at: 0), equals: [1])
      try disk.rename(root + "/d/b", to: root + "/d/b")
      try require(try disk.list(root + "/d"), equals: ["b"])
    },
    DiskConformance("rename moves a directory with all that is in it") { disk, root in
      try disk.makeDirectory(root + "/d")
      try disk.makeDirectory(root + "/e")
      try disk.write([1], toNew: root + "/d/a")
      try disk.rename(root + "/d", to: root + "/e")
      try require(try disk.readAll(root + "/e/a"), equals: [1])
      try disk.makeDirectory(root + "/f")
      try requireFailure(.exists) { () throws(DiskError) in
        try disk.rename(root + "/f", to: root + "/e")
      }
      try requireFailure(.unsupported) { () throws(DiskError) in
        try disk.rename(root + "/e", to: root + "/e/g")
      }
    },
    DiskConformance("rename refuses what is missing or of another kind") { disk, root in
      try disk.makeDirectory(root + "/d")
      try disk.write([1], toNew: root + "/a")
      try requireFailure(.notFound) { () throws(DiskError) in
        try disk.rename(root + "/x", to: root + "/y")
      }
      try requireFailure(.notFound) { () throws(DiskError) in
        try disk.rename(root + "/a", to: root + "/x/y")
      }
      try requireFailure(.isDirectory) { () throws(DiskError) in
        try disk.rename(root + "/a", to: root + "/d")
      }
      try requireFailure(.notDirectory) { () throws(DiskError) in
        try disk.rename(root + "/d", to: root + "/a")
      }
      try require(try disk.list(root).sorted(), equals: ["a", "d"])
    },
    DiskConformance("a removed file is gone, but an open handle still reads it") { disk, root in
      try disk.write([1], toNew: root + "/a")
      let open = try disk.open(root + "/a", .read)
      try disk.remove(root + "/a")
      try require(try disk.list(root), equals: [])
      try require(try open.read(1, at: 0), equals: [1])
      try requireFailure(.notFound) { () throws(DiskError) in try disk.remove(root + "/a") }
      try disk.makeDirectory(root + "/d")
      try requireFailure(.isDirectory) { () throws(DiskError) in try disk.remove(root + "/d") }
    },
    DiskConformance("list gives the names of files and directories") { disk, root in
      try disk.makeDirectory(root + "/d")
      try disk.write([], toNew: root + "/d/inner")
      try disk.write([], toNew: root + "/.hidden")
      try disk.write([], toNew: root + "/ä 1")
      try require(try disk.list(root).sorted(), equals: [".hidden", "d", "ä 1"])
      try requireFailure(.notFound) { () throws(DiskError) in _ = try disk.list(root + "/x") }
      try requireFailure(.notDirectory) { () throws(DiskError) in
        _ = try disk.list(root + "/.hidden")
      }
    },
    DiskConformance("status tells files, directories and nothing apart") { disk, root in
      try disk.write([1, 2], toNew: root + "/a")
      try disk.write([], toNew: root + "/b")
      try require(try disk.status(root)?.isDirectory, equals: true)
      try require(try disk.status(root + "/x"), equals: nil)
      try require(try disk.status(root + "/x/y"), equals: nil)
      let first = try disk.status(root + "/a")
      try require(first?.isDirectory, equals: false)
      try require(first?.length, equals: 2)
      try require(first?.inode != (try disk.status(root + "/b"))?.inode, "two files, one inode")
      try disk.rename(root + "/a", to: root + "/c")
      try require(try disk.status(root + "/c"), equals: first)
    },
    DiskConformance("directories are synced, files and nothing are not") { disk, root in
      try disk.write([], toNew: root + "/a")
      try disk.syncDirectory(root)
      try requireFailure(.notFound) { () throws(DiskError) in try disk.syncDirectory(root + "/x") }
      try requireFailure(.notDirectory) { () throws(DiskError) in
        try disk.syncDirectory(root + "/a")
      }
    },
    DiskConformance("the file system tells its free space and whether it is remote") { disk, root in
      try require(try disk.freeBytes(root) > 0, "no free space")
      _ = try disk.isRemote(root)
      try requireFailure(.notFound) { () throws(DiskError) in _ = try disk.freeBytes(root + "/x") }
      try requireFailure(.notFound) { () throws(DiskError) in _ = try disk.isRemote(root + "/x") }
    },
  ]

  static let locks = [
    DiskConformance("a lock file is created and stays") { disk, root in
      let lock = try disk.lock(root + "/lock")
      try require(lock.isIntact(), "a new lock is not intact")
      lock.release()
      lock.release()
      try require(!lock.isIntact(), "a released lock is intact")
      try require(try disk.list(root), equals: ["lock"])
      try disk.lock(root + "/lock").release()
    },
    DiskConformance("a lock excludes a second one until it is released") { disk, root in
      let lock = try disk.lock(root + "/lock")
      for _ in 0..<2 {
        try requireFailure(.busy) { () throws(DiskError) in _ = try disk.lock(root + "/lock") }
      }
      try require(lock.isIntact(), "a refused second lock broke the first")
      let other = try disk.lock(root + "/other")
      lock.release()
      let second = try disk.lock(root + "/lock")
      try require(second.isIntact() && other.isIntact(), "another lock was released too")
    },
    DiskConformance("a lock that nobody refers to is released") { disk, root in
      do {
        let lock = try disk.lock(root + "/lock")
        try require(lock.isIntact(), "a new lock is not intact")
      }
      try disk.lock(root + "/lock").release()
    },
    DiskConformance("reading and closing the lock file does not release the lock") { disk, root in
      let lock = try disk.lock(root + "/lock")
      try disk.open(root + "/lock", .readWrite).close()
      try require(lock.isIntact(), "the lock was lost")
      try requireFailure(.busy) { () throws(DiskError) in _ = try disk.lock(root + "/lock") }
    },
    DiskConformance("a lock file that is removed or replaced breaks the lock visibly") {
      disk, root in
      let lock = try disk.lock(root + "/lock")
      try disk.remove(root + "/lock")
      try require(!lock.isIntact(), "the lock counts as intact without its file")
      try requireFailure(.busy) { () throws(DiskError) in _ = try disk.lock(root + "/lock") }
      try require(!lock.isIntact(), "the lock counts as intact with another file")
      lock.release()
      try disk.lock(root + "/lock").release()
    },
    DiskConformance("a lock needs a file in a directory") { disk, root in
      try disk.makeDirectory(root + "/d")
      try requireFailure(.isDirectory) { () throws(DiskError) in _ = try disk.lock(root + "/d") }
      try requireFailure(.notFound) { () throws(DiskError) in _ = try disk.lock(root + "/x/lock") }
    },
  ]
}
