// First inputs for the fuzzers: golden files, and the payloads inside of them.

import VarveFormat
import VarveTestSupport

extension Fuzzing {
  /// First inputs by the name of their fuzzer.
  public static func seeds() throws -> [(fuzzer: String, inputs: [[UInt8]])] {
    var frames: [[UInt8]] = [try GoldenFiles.torn()]
    var transactions: [[UInt8]] = []
    var columns: [[UInt8]] = []
    var random = FormatRandom(seed: 1)
    let specs = GoldenFiles.segments.map(\.spec) + (0..<40).map { _ in random.segment() }
    for spec in specs {
      let bytes = try spec.encoded().array
      frames.append(bytes)
      var scanner = try SegmentScanner(MemorySource(Bytes(bytes)))
      while case .frame(let frame) = try scanner.next() {
        switch frame.header.type {
        case .columnBlock: columns.append(try frame.payload().array)
        case .transactionPart: break
        default: transactions.append(try frame.payload().array)
        }
        if frame.header.type == .seal { break }
      }
      transactions += try spec.transactions.map { try $0.draft().operationBytes.array }
    }
    for type in PhysicalType.allCases {
      for encoding in ColumnEncoding.allCases {
        for isNullable in [false, true]
        where NaiveColumnWriter.fits(type, encoding, isNullable: isNullable) {
          let cells = random.cells(type, rows: 20, shape: isNullable ? .someNil : .random)
          columns.append(
            NaiveColumnWriter(type, encoding, isNullable: isNullable)
              .block(NaiveCell.cells(cells), &random))
        }
      }
    }
    var baselines: [[UInt8]] = []
    for spec in [GoldenSpecs.baseline] + (0..<40).map({ _ in random.baseline() }) {
      let bytes = try spec.encoded()
      baselines.append(bytes.array)
      let reader = try BaselineReader(MemorySource(bytes))
      baselines += reader.directory.encodedPayloads.map(\.array) + [reader.seal.encoded.array]
    }
    return [
      ("FuzzBaseline", baselines), ("FuzzFrames", frames), ("FuzzTransactions", transactions),
      ("FuzzColumns", columns),
      ("FuzzSuperblock", GoldenSpecs.superblocks.map { Array($0.encoded.array[..<256]) }),
    ]
  }
}
