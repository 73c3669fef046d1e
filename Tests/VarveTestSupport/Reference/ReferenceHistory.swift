// Random histories of several replicas: real operations, the same for the same seed.
// Layer: test support.

import VarveFormat

/// What a history is made of.
package struct ReferenceOptions: Sendable {
  package var replicas = 3
  package var steps = 30
  /// Clocks that are wrong by up to seconds.
  package var isSkewed = false
  /// Stamps extend causality (R2); without it they are wall clocks only.
  package var absorbsStamps = true
  /// Chance in percent, at each step, that a replica is cloned and both go on.
  package var forkPercent = 2
  /// Chance in percent that a transaction names an object that its author cannot know.
  package var illegalPercent = 0
  /// Chance in percent, at each step, that a replica receives instead of writing.
  package var deliveryPercent = 45
  package var kinds = ReferenceKind.allCases

  package init() {}

  /// One replica, no forks: what a local store sees.
  package static var single: ReferenceOptions {
    var options = ReferenceOptions()
    (options.replicas, options.forkPercent, options.deliveryPercent) = (1, 0, 0)
    return options
  }
}

/// A replica that writes.
struct ReferenceWriter {
  var line: ReferenceLine
  var graph = ReferenceGraph()
  var sequence: UInt64 = 0
  var chain = Hash128.zero
  var serials: [UInt32: UInt64] = [:]
  var inherited: [UInt32: UInt64] = [:]
  var dictionary: [ReferenceLine]
  /// Milliseconds by which the clock is wrong.
  var offset: Int
  var lastStamp = Stamp.zero
  /// Whether a transaction of its own was refused: all that follow it are, too.
  var isBroken = false

  init(_ line: ReferenceLine, offset: Int) {
    self.line = line
    self.offset = offset
    dictionary = [line]
  }

  mutating func index(_ other: ReferenceLine) -> UInt32 {
    if let known = dictionary.firstIndex(of: other) { return UInt32(known) }
    dictionary.append(other)
    return UInt32(dictionary.count - 1)
  }

  mutating func reference(_ id: ReferenceID) -> ObjectReference {
    switch id.origin {
    case .identity(let hash): return ObjectReference(entity: id.entity, identity: hash)
    case .created(let creator, let serial):
      let isInherited =
        line.fork > 0 && creator == ReferenceLine(line.replica)
        && serial <= inherited[id.entity] ?? 0
      let index = isInherited ? 0 : index(creator)
      return ObjectReference(entity: id.entity, index: index, serial: serial)
    }
  }

  mutating func dot(_ dot: ReferenceDot) -> Dot {
    Dot(index: index(dot.line), sequence: dot.sequence)
  }

  mutating func nextID(_ entity: UInt32) -> ReferenceID {
    serials[entity, default: 0] += 1
    return ReferenceID(entity: entity, line, serial: serials[entity] ?? 1)
  }
}

/// A random history with everything that was written in it.
package struct ReferenceHistory: Sendable {
  package private(set) var transactions: [ReferenceTransaction] = []
  /// Transactions that name what their author cannot know.
  package private(set) var illegal: Set<ReferenceDot> = []
  /// The rules that the first transaction declares.
  package static let declarations = ReferenceKind.declarations
  package static let schema = ReferenceSchema(declarations)

  /// The history that a seed and options give.
  package init(seed: UInt64, _ options: ReferenceOptions = ReferenceOptions()) {
    var maker = ReferenceMaker(seed: seed, options)
    maker.run()
    transactions = maker.transactions
    illegal = maker.illegal
  }

  /// The transactions shuffled, a third of them twice.
  package func delivery(_ random: inout FormatRandom) -> [ReferenceTransaction] {
    var list = transactions
    list += transactions.filter { _ in random.chance(33) }
    list.shuffle(using: &random.generator)
    return list
  }
}

/// Makes a history.
struct ReferenceMaker {
  var random: FormatRandom
  let options: ReferenceOptions
  var writers: [ReferenceWriter] = []
  /// All objects in order of creation.
  var objects: [ReferenceID] = []
  private(set) var transactions: [ReferenceTransaction] = []
  private(set) var illegal: Set<ReferenceDot> = []
  private static let start: UInt64 = 1_767_225_600_000

  init(seed: UInt64, _ options: ReferenceOptions) {
    random = FormatRandom(seed: seed)
    self.options = options
    for number in 1...options.replicas {
      // In no order, so that ties by replica are not ties by number.
      var bytes = random.bytes(16)
      bytes[15] = UInt8(number)
      let offset = options.isSkewed ? random.pick([0, 0, -50, 5_000]) : 0
      writers.append(ReferenceWriter(ReferenceLine(ReplicaID(bytes)), offset: offset))
    }
  }

  mutating func run() {
    commit(0, ReferenceHistory.declarations.map { .schema($0) }, step: 0)
    for step in 1...options.steps {
      let place = random.below(writers.count)
      if random.chance(options.deliveryPercent) {
        for _ in 0..<random.within(1...6) {
          writers[place].graph.receive(random.pick(transactions))
        }
      } else if random.chance(options.forkPercent) {
        fork(place)
      } else {
        write(place, step: step)
      }
    }
  }

  /// A copy of the replica goes on beside it.
  private mutating func fork(_ place: Int) {
    var copy = writers[place]
    guard copy.line.fork == 0, copy.sequence > 0, !copy.isBroken else { return }
    let main = copy.line
    copy.line = ReferenceLine(
      main.replica, fork: copy.sequence + 1, chainPrefix: random.bytes(8))
    copy.inherited = copy.serials
    copy.dictionary[0] = copy.line
    writers.append(copy)
  }

  private mutating func write(_ place: Int, step: Int) {
    if random.chance(options.illegalPercent), !writers[place].isBroken,
      let operation = illegalOperation(place)
    {
      illegal.insert(ReferenceDot(writers[place].line, writers[place].sequence + 1))
      writers[place].isBroken = true
      commit(place, [operation], step: step)
      return
    }
    var draft = ReferenceDraft(self, place)
    for _ in 0..<random.pick([1, 1, 2, 3, 5]) {
      draft.maker.random = random
      draft.add()
      random = draft.maker.random
    }
    self = draft.maker
    if !draft.operations.isEmpty { commit(place, draft.operations, step: step) }
  }

  private mutating func illegalOperation(_ place: Int) -> Operation? {
    let known = writers[place].graph.state.lives
    let foreign = objects.filter { !$0.isIdentity && known[$0] == nil }
    let never = ReferenceID(entity: 1, writers[place].line, serial: 1_000)
    let id = foreign.isEmpty || random.chance(30) ? never : random.pick(foreign)
    let object = writers[place].reference(id)
    return random.chance(50) ? .set(object, [FieldValue(1, .integer(77))]) : .delete(object)
  }

  private mutating func commit(_ place: Int, _ operations: [Operation], step: Int) {
    var writer = writers[place]
    let wall = UInt64(Int(ReferenceMaker.start) + step * 10 + writer.offset)
    let seen =
      options.absorbsStamps ? max(writer.graph.stampMax, writer.lastStamp) : writer.lastStamp
    writer.lastStamp = seen.next(wallMilliseconds: wall)
    writer.sequence += 1
    var dependencies = writer.graph.state.vector
    dependencies[writer.line] = nil
    var bytes = ByteWriter()
    bytes.bytes(writer.line.identity)
    bytes.uint64(writer.sequence)
    writer.chain = Checksum.chain(writer.chain, Checksum.hash128(bytes.finish()))
    var transaction = ReferenceTransaction(
      line: writer.line, sequence: writer.sequence, chain: writer.chain, stamp: writer.lastStamp,
      dependencies: dependencies, dictionary: writer.dictionary, operations: operations)
    transaction.inherited = writer.inherited
    transactions.append(transaction)
    writer.graph.receive(transaction)
    writers[place] = writer
  }
}
