// Finds things by their tags. Layer: Schema.

/// Places by tag: an array for the small tags that programs declare, a dictionary for the others.
struct TagPlaces: Sendable {
  private static let smallMax: UInt32 = 4_096

  /// The place plus one, by tag.
  private var small: ContiguousArray<UInt32> = []
  private var large: [UInt32: Int] = [:]

  init() {}

  /// Places in a list; of equal tags the first counts.
  init(_ tags: [UInt32]) {
    for (place, tag) in tags.enumerated() where self[tag] == nil { self[tag] = place }
  }

  /// The place of a tag.
  subscript(tag: UInt32) -> Int? {
    @inline(__always) get {
      guard tag < TagPlaces.smallMax else { return large[tag] }
      guard Int(tag) < small.count else { return nil }
      let place = small[Int(tag)]
      return place == 0 ? nil : Int(place) &- 1
    }
    set {
      guard tag < TagPlaces.smallMax else {
        large[tag] = newValue
        return
      }
      while small.count <= Int(tag) { small.append(0) }
      small[Int(tag)] = newValue.map { UInt32($0 + 1) } ?? 0
    }
  }
}
