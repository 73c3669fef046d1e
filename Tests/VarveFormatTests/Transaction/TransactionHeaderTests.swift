// Headers of transactions: every flag, every list, through a whole frame.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Transaction headers")
struct TransactionHeaderTests {
  private func header(_ spec: TransactionSpec, _ random: inout FormatRandom) throws
    -> TransactionHeader
  {
    var segment = SegmentSpec(random.header())
    segment.append(.group([spec]))
    var scanner = try SegmentScanner(MemorySource(try segment.encoded()))
    var found: TransactionHeader?
    _ = try scanner.readAll(unit: { (unit: Unit) throws(FormatError) in
      found = try unit.transactions[0].decoded().header
      #expect(found?.sequence == segment.header.firstSequence)
    })
    return try #require(found)
  }

  @Test("everything that a header says reads back")
  func roundTrip() throws {
    var random = TestRun.random()
    for _ in 0..<300 * TestRun.scale {
      let spec = random.transaction()
      let header = try header(spec, &random)
      #expect(header.stamp == spec.stamp)
      #expect(header.era == spec.era)
      #expect(header.schemaVersion == spec.schemaVersion)
      #expect(header.dictionary == spec.dictionary)
      #expect(header.dependencies == spec.dependencies)
      #expect(header.metadata == spec.metadata)
      #expect(header.operations == spec.operations.count)
      #expect(header.flags.contains(.fullVector) == spec.isFullVector)
      #expect(header.flags.contains(.critical) == spec.isCritical)
      #expect(!header.flags.contains(.bulk) && !header.flags.contains(.parted))
    }
  }

  @Test("a transaction without operations is a transaction")
  func empty() throws {
    var random = TestRun.random()
    let header = try header(TransactionSpec(stamp: .zero), &random)
    #expect(header.operations == 0)
  }

  @Test("unknown keys of metadata are kept, also an origin from a newer version")
  func unknownMetadata() throws {
    var random = TestRun.random()
    var spec = TransactionSpec(stamp: .zero)
    spec.metadata.author = "somebody"
    spec.metadata.unknown = [
      .init(key: 3, bytes: [6]), .init(key: 5, bytes: []), .init(key: .max, bytes: [1, 2]),
    ]
    #expect(try header(spec, &random).metadata == spec.metadata)
  }

  @Test("flags are derived from what a transaction holds")
  func flags() throws {
    var random = TestRun.random()
    let column = try header(random.columnTransaction(rows: 10), &random)
    #expect(column.flags.contains(.bulk))
    let adoption = TransactionSpec(stamp: .zero, operations: [random.operation(0x19)])
    #expect(try header(adoption, &random).flags.contains(.adoption))
  }

  @Test("metadata beyond its limit is refused when it is written")
  func metadataLimit() {
    var builder = TransactionBuilder()
    builder.metadata.label = String(repeating: "a", count: Limits.metadataBytesMax + 1)
    do throws(FormatError) {
      _ = try builder.finish()
      Issue.record("the builder took it")
    } catch { #expect(error.code == .badLength) }
  }
}
