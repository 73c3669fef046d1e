// The bytes of a simulated file: what programs see, what is on the medium, what lies between.
// Layer: test support.

/// The content of one simulated file.
///
/// Writes and truncations that were not synced are kept in order. After a crash each sector holds
/// what one of them left in it, or what was durable before; sectors are independent of each other
/// and of the length. A sector that was never stored reads as zeros.
struct SimulatedContent: Sendable {
  static let sectorBytes = 512

  /// A change that was not synced.
  enum Change: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case truncate(length: Int, oldLength: Int)
  }

  /// What of the changes a crash keeps.
  enum Choice: Sendable {
    case nothing
    case everything
    /// A length and, for each sector, the last change that reached it; a sector without an entry
    /// keeps its old content.
    case mixed(length: Int, lastChange: [Int: Int])
  }

  /// What programs see.
  private(set) var bytes: [UInt8]
  /// What is on the medium for certain.
  private(set) var durable: [UInt8]
  /// The changes since, oldest first.
  private(set) var changes: [Change] = []

  /// A file that is on the medium as it is.
  init(durable: [UInt8] = []) {
    bytes = durable
    self.durable = durable
  }

  var isDurable: Bool { changes.isEmpty && bytes == durable }

  // MARK: Changes

  mutating func write(_ data: [UInt8], at offset: Int) {
    guard !data.isEmpty else { return }
    changes.append(.write(offset: offset, bytes: data))
    Self.store(data[...], at: offset, in: &bytes)
  }

  mutating func truncate(to length: Int) {
    guard length != bytes.count else { return }
    changes.append(.truncate(length: length, oldLength: bytes.count))
    Self.resize(&bytes, to: length)
  }

  /// All changes reach the medium.
  mutating func sync() {
    durable = image(.everything)
    changes = []
  }

  /// The changes will never reach the medium, though programs see them until the crash.
  mutating func forgetChanges() {
    changes = []
  }

  /// Programs see again what is on the medium, unless changes wait to be stored.
  mutating func dropCache() {
    if changes.isEmpty { bytes = durable }
  }

  /// Bit rot: a bit changes on the medium and for programs.
  mutating func flip(bit: Int) {
    let mask = UInt8(1) << UInt8(bit % 8)
    if bit / 8 < bytes.count { bytes[bit / 8] ^= mask }
    if bit / 8 < durable.count { durable[bit / 8] ^= mask }
  }

  // MARK: What a crash can leave

  /// The lengths that a crash can leave besides the durable one, the newest last.
  ///
  /// An extension may be there in part, up to any sector.
  var lengthVersions: [Int] {
    var versions: [Int] = []
    var length = durable.count
    for change in changes {
      switch change {
      case .write(let offset, let bytes):
        let end = offset + bytes.count
        guard end > length else { continue }
        let firstBoundary = (length / Self.sectorBytes + 1) * Self.sectorBytes
        versions += stride(from: firstBoundary, to: end, by: Self.sectorBytes)
        versions.append(end)
        length = end
      case .truncate(let newLength, _):
        versions.append(newLength)
        length = newLength
      }
    }
    return Self.uniqueKeepingLast(versions)
  }

  /// For each sector that changed, in order, the indices of the changes that touched it.
  var sectorVersions: [(sector: Int, changes: [Int])] {
    var versions: [Int: [Int]] = [:]
    for (index, change) in changes.enumerated() {
      for sector in Self.sectors(of: change) {
        versions[sector, default: []].append(index)
      }
    }
    return versions.sorted { $0.key < $1.key }.map { (sector: $0.key, changes: $0.value) }
  }

  /// The content after a crash.
  func image(_ choice: Choice) -> [UInt8] {
    var image = durable
    switch choice {
    case .nothing:
      break
    case .everything:
      for change in changes { Self.apply(change, to: &image) }
    case .mixed(let length, let lastChange):
      Self.resize(&image, to: max(image.count, length, extent))
      for (index, change) in changes.enumerated() {
        for sector in Self.sectors(of: change) where index <= lastChange[sector, default: -1] {
          Self.apply(change, in: sector, to: &image)
        }
      }
      Self.resize(&image, to: length)
    }
    return image
  }

  // The end of the highest sector that any change touches.
  private var extent: Int {
    let sectors = changes.map { Self.sectors(of: $0).upperBound }.max() ?? 0
    return sectors * Self.sectorBytes
  }

  private static func sectors(of change: Change) -> Range<Int> {
    switch change {
    case .write(let offset, let bytes):
      offset / sectorBytes..<(offset + bytes.count + sectorBytes - 1) / sectorBytes
    case .truncate(let length, let oldLength) where length < oldLength:
      length / sectorBytes..<(oldLength + sectorBytes - 1) / sectorBytes
    case .truncate:
      0..<0
    }
  }

  private static func apply(_ change: Change, to image: inout [UInt8]) {
    switch change {
    case .write(let offset, let bytes): store(bytes[...], at: offset, in: &image)
    case .truncate(let length, _): resize(&image, to: length)
    }
  }

  // Applies what a change does inside one sector. The image is long enough.
  private static func apply(_ change: Change, in sector: Int, to image: inout [UInt8]) {
    let range = sector * sectorBytes..<(sector + 1) * sectorBytes
    switch change {
    case .write(let offset, let bytes):
      let part = range.clamped(to: offset..<offset + bytes.count)
      store(
        bytes[part.lowerBound - offset..<part.upperBound - offset], at: part.lowerBound, in: &image)
    case .truncate(let length, let oldLength):
      for index in range.clamped(to: min(length, oldLength)..<oldLength) { image[index] = 0 }
    }
  }

  private static func store(_ data: ArraySlice<UInt8>, at offset: Int, in target: inout [UInt8]) {
    if target.count < offset + data.count { resize(&target, to: offset + data.count) }
    target.replaceSubrange(offset..<offset + data.count, with: data)
  }

  private static func resize(_ target: inout [UInt8], to length: Int) {
    if length < target.count {
      target.removeLast(target.count - length)
    } else {
      target.append(contentsOf: repeatElement(0, count: length - target.count))
    }
  }

  private static func uniqueKeepingLast(_ values: [Int]) -> [Int] {
    var seen: Set<Int> = []
    return values.reversed().filter { seen.insert($0).inserted }.reversed()
  }
}
