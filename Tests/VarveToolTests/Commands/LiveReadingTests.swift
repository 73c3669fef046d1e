// Reading a store while a writer appends to it at full speed (D8, Q28). Layer: tests of the tool.

import Synchronization
import Testing
import Varve
import VarveFormat
import VarveTestSupport

@testable import VarveTool

@Suite("reading beside a writer")
struct LiveReadingTests {
  /// Bounds what each thread writes: about 20 MiB.
  private static let serialMax: UInt64 = 400

  /// Runs `body` while threads append to a store at full speed.
  private func appending(
    segmentBytes: UInt64, _ body: (CommandFixture) throws -> Void
  ) throws {
    try CommandFixture.run { fixture in
      var options = LogOptions()
      options.rotation.segmentBytes = segmentBytes
      options.durability = .relaxed
      options.relaxedSyncMilliseconds = 20
      options.idleMilliseconds = 5
      options.reserveBytes = 4_096
      let log = try Log.create(at: fixture.path("store"), disk: PosixDisk(), options: options)
      _ = try log.commit(try LiveReadingTests.draft(entity: 1, 1))
      let isDone = Atomic<Bool>(false)
      try withoutActuallyEscaping(body) { body in
        let writers = (0..<2).map { number in
          BackgroundThread {
            var serial: UInt64 = 1
            while !isDone.load(ordering: .relaxed), serial < LiveReadingTests.serialMax {
              guard let draft = try? LiveReadingTests.draft(entity: UInt32(number + 2), serial),
                (try? log.commit(draft)) != nil
              else { return }
              serial += 1
            }
          }
        }
        defer {
          isDone.store(true, ordering: .relaxed)
          for writer in writers { writer?.join() }
        }
        try body(fixture)
      }
      try log.close()
      #expect(fixture.tool("verify", "@store").code == 0)
    }
  }

  /// Bytes that cannot be compressed.
  private static let noise: [UInt8] = {
    var generator = SplitMix64(seed: 1)
    return (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }()

  /// A transaction that creates one object; sizes vary.
  private static func draft(entity: UInt32, _ serial: UInt64) throws -> TransactionDraft {
    let bytes = noise.prefix([20, 300, 5_000, 60_000, 200_000][Int(serial % 5)])
    var builder = TransactionBuilder()
    builder.add(
      .create(
        ObjectReference(entity: entity, serial: serial), key: [],
        [FieldValue(1, .data(Array(bytes)))]))
    return try builder.finish()
  }

  @Test(
    "no command takes what is being written for damage",
    arguments: [
      ["verify"], ["verify", "--level", "full"], ["log", "--count"],
      ["log", "--reverse", "-n", "3"],
      ["info"], ["segments", "--check"], ["hash"], ["show", "HEAD"],
    ])
  func commands(words: [String]) throws {
    try appending(segmentBytes: 4 << 20) { fixture in
      for _ in 0..<12 {
        let run = fixture.run(words + [fixture.path("store")])
        #expect(run.code == 0, "\(words): \(run.output.suffix(600))\(run.errors)")
        if run.code != 0 { break }
      }
    }
  }

  @Test("a dump of the open segment ends where it is complete")
  func dump() throws {
    try appending(segmentBytes: 1 << 30) { fixture in
      for _ in 0..<12 {
        let name = try #require(try fixture.segments("store").last { $0.contains("open-") })
        let run = fixture.tool("dump", "--headers-only", "@\(name)")
        #expect(run.code == 0, "\(run.output.suffix(600))\(run.errors)")
        if run.code != 0 { break }
      }
    }
  }
}
