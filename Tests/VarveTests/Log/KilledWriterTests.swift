// Real processes that are killed while they write (T12).

import Foundation
import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Killed writers", .serialized)
struct KilledWriterTests {
  @Test("whatever a killed process acknowledged is there (T12, P72, U27, U32)")
  func kill() throws {
    let rounds = 20 * TestScale.factor
    var generator = SplitMix64(seed: TestScale.seed)
    var place = TestDirectory("killed")
    var history: [LogEntry] = []
    var acknowledged = 0
    for round in 0..<rounds {
      if round % 25 == 0 {
        place = TestDirectory("killed")
        history = []
      }
      let mode = ["full", "relaxed", "grouped"][round % 3]
      let threads = [1, 4][Int.random(in: 0...1, using: &generator)]
      let store = place.file("store")
      let writer = try CrashWriter(
        store, mode: mode, threads: threads, first: round * 1_000_000)
      #expect(writer.waitForReady(), "round \(round), \(mode), \(TestScale.note)")
      usleep(UInt32.random(in: 500...60_000, using: &generator))
      let acks = writer.kill()
      acknowledged += acks.count
      let contents = try check(store, history, acks, "round \(round), \(mode), \(TestScale.note)")
      history = contents
    }
    print("\(rounds) kills, \(acknowledged) acknowledged commits, \(TestScale.note)")
    #expect(acknowledged > 0)
  }

  /// Opens for writing, which recovers, and compares; returns all entries.
  private func check(
    _ store: String, _ history: [LogEntry], _ acks: [CrashWriter.Ack], _ place: String
  ) throws -> [LogEntry] {
    let log = try Log.open(at: store, disk: PosixDisk())
    #expect(!log.report.isDamaged && log.report.continuesReplica, "\(place): \(log.report)")
    try log.close()
    let contents = try LogContents(PosixDisk(), at: store)
    #expect(contents.problems == [], "\(place)")
    #expect(contents.entries.count <= 1, "\(place)")
    let entries = contents.entries.values.first ?? []
    #expect(entries.starts(with: history), "\(place): what was recovered before has changed")
    #expect(entries.map(\.sequence) == LogFixture.denseSequences(entries.count), "\(place)")
    #expect(Set(entries.map(\.number)).count == entries.count, "\(place): a number came twice")
    for ack in acks {
      guard ack.sequence >= 1, ack.sequence <= UInt64(entries.count),
        entries[Int(ack.sequence) - 1].number == ack.number
      else {
        Issue.record("\(place): \(ack) was acknowledged and is gone")
        break
      }
    }
    return entries
  }

  @Test("a reader beside a writer sees nothing that vanishes later (Q28, U76)")
  func reader() throws {
    let place = TestDirectory("reader")
    let store = place.file("store")
    var last: [LogEntry] = []
    var readings = 0
    for round in 0..<(2 * TestScale.factor) {
      let writer = try CrashWriter(store, mode: "full", threads: 4, first: round * 1_000_000)
      #expect(writer.waitForReady())
      let end = Date().addingTimeInterval(0.4)
      while Date() < end {
        let contents = try LogContents(PosixDisk(), at: store, bound: .syncedOffset)
        #expect(!contents.isDamaged, "\(contents.report.findings) \(contents.problems)")
        let entries = contents.entries.values.first ?? []
        #expect(entries.starts(with: last), "something vanished")
        last = entries
        readings += 1
      }
      _ = writer.kill()
    }
    let contents = try LogContents(PosixDisk(), at: store)
    #expect(contents.entries.values.first?.starts(with: last) == true)
    print("\(readings) readings beside a writer, up to \(last.count) transactions")
    #expect(readings > 2)
  }

  @Test("of two processes that race for the lock one writes (D9, L46)")
  func race() throws {
    let place = TestDirectory("race")
    let store = place.file("store")
    for round in 0..<(4 * TestScale.factor) {
      let first = try CrashWriter(store, mode: "full", threads: 1, first: round * 2_000_000)
      let second = try CrashWriter(
        store, mode: "full", threads: 1, first: round * 2_000_000 + 1_000_000)
      let ready = [first.waitForReady(), second.waitForReady()]
      #expect(ready.filter { $0 }.count == 1, "round \(round): \(ready)")
      let acks = first.kill() + second.kill()
      let contents = try LogContents(PosixDisk(), at: store)
      #expect(contents.problems == [])
      let numbers = Set(contents.numbers)
      #expect(acks.allSatisfy { numbers.contains($0.number) })
    }
  }
}

/// A running `VarveCrashWriter`.
private final class CrashWriter {
  struct Ack: Equatable {
    var number: Int
    var sequence: UInt64
  }

  private let process = Process()
  private let output = Pipe()
  private var text = ""

  init(_ store: String, mode: String, threads: Int, first: Int) throws {
    guard let executable = Self.executable else { throw CocoaError(.fileNoSuchFile) }
    process.executableURL = executable
    process.arguments = [store, mode, "\(threads)", "\(first)"]
    process.standardOutput = output
    try process.run()
  }

  deinit { if process.isRunning { _ = kill() } }

  /// The program lies beside the tests.
  private static let executable: URL? = {
    var place = URL(fileURLWithPath: CommandLine.arguments[0])
    for _ in 0..<5 {
      place.deleteLastPathComponent()
      let file = place.appendingPathComponent("VarveCrashWriter")
      if FileManager.default.isExecutableFile(atPath: file.path) { return file }
    }
    return nil
  }()

  /// Waits for the first line; false when it says that somebody else writes.
  func waitForReady() -> Bool {
    while !text.contains("\n") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
    return text.hasPrefix("ready\n")
  }

  /// Kills the process and returns what it acknowledged.
  func kill() -> [Ack] {
    Foundation.kill(process.processIdentifier, SIGKILL)
    let rest = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    text += String(decoding: rest, as: UTF8.self)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // The last piece has no end: it is empty, or cut off.
    lines.removeLast()
    return lines.compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 3, words[0] == "ack", let number = Int(words[1]),
        let sequence = UInt64(words[2])
      else { return nil }
      return Ack(number: number, sequence: sequence)
    }
  }
}
