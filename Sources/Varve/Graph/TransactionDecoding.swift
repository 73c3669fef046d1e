// From the bytes of a transaction to what a state applies. Layer: Graph.

import VarveFormat

/// A transaction with its operations and columns decoded.
struct DecodedTransaction {
  /// A part of the operation stream, in order.
  enum Step {
    case operations([Operation])
    case columns(DecodedColumns)
  }

  var header: TransactionHeader
  var steps: [Step] = []
  var chain: Hash128

  /// Decodes a transaction of a unit; column blocks on all cores.
  ///
  /// - Throws: What decoding finds; nothing of the transaction is used then.
  init(_ transaction: ScannedTransaction, parts: [ScannedFrame]) throws(FormatError) {
    header = try transaction.decoded().header
    chain = transaction.chain
    var operations: [Operation] = []
    var steps: [Step] = []
    var columns: [(step: Int, operation: ColumnsOperation)] = []
    try OperationStream.forEach(transaction, parts: parts) { operation throws(FormatError) in
      guard case .columns(let group) = operation else {
        operations.append(operation)
        return
      }
      if !operations.isEmpty { steps.append(.operations(operations)) }
      operations = []
      columns.append((steps.count, group))
      steps.append(.operations([]))
    }
    if !operations.isEmpty { steps.append(.operations(operations)) }
    for (step, operation) in columns {
      steps[step] = .columns(
        try DecodedTransaction.decode(operation, header, parts))
    }
    self.steps = steps
  }

  private static func decode(
    _ operation: ColumnsOperation, _ header: TransactionHeader, _ parts: [ScannedFrame]
  ) throws(FormatError) -> DecodedColumns {
    let last = operation.firstPart + operation.partCount
    guard last <= parts.count else {
      throw FormatError(.badPart, "a columns operation uses parts up to \(last) of \(parts.count)")
    }
    let columns = operation.partColumns
    let entries = header.parts
    let blocks = try Parallel.map(operation.partCount) { (place: Int) throws(FormatError) in
      let part = operation.firstPart + place
      return try block(
        parts[part], entries[part], operation, columns[place % columns.count],
        rows: operation.rows(ofBlock: place / columns.count))
    }
    return DecodedColumns(
      operation: operation,
      blocks: columns.indices.map { column in
        (0..<operation.blocks).map { blocks[$0 * columns.count + column] }
      })
  }

  private static func block(
    _ part: ScannedFrame, _ entry: PartEntry, _ operation: ColumnsOperation,
    _ column: ColumnsOperation.Column, rows: Int
  ) throws(FormatError) -> ColumnBlock {
    do throws(FormatError) {
      let payload = try part.payload()
      guard Checksum.hash128(payload) == entry.hash else {
        throw FormatError(.badPart, "the hash of a column part does not match")
      }
      let block = try ColumnBlockDecoder.decode(payload)
      let header = block.header
      guard header.entity == operation.entity, header.attribute == column.attribute,
        header.type == column.type, header.rows == rows
      else { throw FormatError(.badColumn, "a column block is not the one its transaction names") }
      return block
    } catch { throw error.at(offset: part.offset) }
  }
}

extension GraphState {
  /// Applies a whole transaction, or nothing of it.
  ///
  /// - Throws: As `apply` for operations.
  mutating func apply(_ steps: [DecodedTransaction.Step], _ integration: Integration)
    throws(GraphError)
  {
    if steps.count == 1, case .operations(let operations) = steps[0] {
      try apply(operations, integration)
    } else {
      // Steps build on each other: a copy is given back when a later one fails.
      let saved = self
      do throws(GraphError) {
        for step in steps {
          switch step {
          case .operations(let operations): try apply(operations, integration)
          case .columns(let columns): try apply(columns, integration)
          }
        }
      } catch {
        self = saved
        throw error
      }
      finishTransaction(integration)
    }
  }
}
