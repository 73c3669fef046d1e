// Appends transactions to a real store until somebody kills it, and says what was acknowledged.
//
//     VarveCrashWriter <path> <full|grouped|relaxed> <threads> <first number>
//
// Prints `ready`, then a line `ack <number> <sequence>` for every acknowledged commit. Ends with 3
// when the store is busy, with 4 when anything else fails.

import Foundation
import Synchronization
import Varve
import VarveFormat
import VarveTestSupport

/// One line in one piece: pipes do not mix short writes.
@Sendable func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

func openOrCreate(_ path: String) throws(LogError) -> Log {
  var options = LogOptions()
  options.rotation.segmentBytes = 16 << 10
  options.preallocation = PreallocationPolicy(firstBytes: 4_096, stepBytesMax: 16_384)
  options.idleMilliseconds = 5
  options.relaxedSyncMilliseconds = 10
  options.reserveBytes = 4_096
  do throws(LogError) {
    return try Log.open(at: path, disk: PosixDisk(), options: options)
  } catch  where error.code == .notAStore {
    return try Log.create(at: path, disk: PosixDisk(), options: options)
  }
}

let arguments = CommandLine.arguments
let durability: Durability =
  switch arguments[2] {
  case "full": .full
  case "grouped": .grouped(milliseconds: 1)
  default: .relaxed
  }
let threads = Int(arguments[3]) ?? 1
let counter = Atomic<Int>(Int(arguments[4]) ?? 0)

do throws(LogError) {
  let log = try openOrCreate(arguments[1])
  say("ready")
  let writers = (0..<threads).map { _ in
    BackgroundThread {
      while true {
        let number = counter.wrappingAdd(1, ordering: .relaxed).oldValue
        guard let draft = try? LogFixture.draft(number, padding: number % 7 * 40),
          let position = try? log.commit(draft, durability: durability)
        else { exit(4) }
        say("ack \(number) \(position.sequence)")
      }
    }
  }
  for writer in writers { writer?.join() }
} catch {
  say(error.code == .busy ? "busy" : "error \(error)")
  exit(error.code == .busy ? 3 : 4)
}
