// Ordered sets of links that are cheap to copy: the members of a to-many. Layer: Graph.

/// Links in ascending order, in pieces of up to 512.
///
/// - Complexity: A change costs O(count / 512 + 512).
struct MemberList: Sendable {
  private final class Piece: @unchecked Sendable {
    var links: ContiguousArray<UInt64>
    init(_ links: ContiguousArray<UInt64>) { self.links = links }
  }

  private static let pieceMax = 512
  private var pieces: ContiguousArray<Piece> = []
  private(set) var count = 0

  init() {}

  /// A list of ascending links.
  init(sorted links: some Collection<UInt64>) {
    var piece: ContiguousArray<UInt64> = []
    for link in links {
      piece.append(link)
      if piece.count == MemberList.pieceMax / 2 {
        pieces.append(Piece(piece))
        piece.removeAll(keepingCapacity: false)
      }
    }
    if !piece.isEmpty { pieces.append(Piece(piece)) }
    count = links.count
  }

  /// The last piece whose first link is not above `link`.
  private func piece(for link: UInt64) -> Int {
    var low = 0
    var high = pieces.count
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].links[0] <= link { low = middle + 1 } else { high = middle }
    }
    return max(low - 1, 0)
  }

  private static func place(_ links: ContiguousArray<UInt64>, _ link: UInt64) -> Int {
    var low = 0
    var high = links.count
    while low < high {
      let middle = (low + high) / 2
      if links[middle] < link { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func contains(_ link: UInt64) -> Bool {
    guard !pieces.isEmpty else { return false }
    let links = pieces[piece(for: link)].links
    let place = MemberList.place(links, link)
    return place < links.count && links[place] == link
  }

  private mutating func own(_ index: Int) {
    if !isKnownUniquelyReferenced(&pieces[index]) {
      pieces[index] = Piece(pieces[index].links)
    }
  }

  mutating func insert(_ link: UInt64) {
    guard !pieces.isEmpty else {
      pieces = [Piece([link])]
      count = 1
      return
    }
    let index = piece(for: link)
    let place = MemberList.place(pieces[index].links, link)
    if place < pieces[index].links.count, pieces[index].links[place] == link { return }
    own(index)
    pieces[index].links.insert(link, at: place)
    count += 1
    if pieces[index].links.count > MemberList.pieceMax {
      let half = pieces[index].links.count / 2
      let tail = ContiguousArray(pieces[index].links[half...])
      pieces[index].links.removeSubrange(half...)
      pieces.insert(Piece(tail), at: index + 1)
    }
  }

  mutating func remove(_ link: UInt64) {
    guard !pieces.isEmpty else { return }
    let index = piece(for: link)
    let place = MemberList.place(pieces[index].links, link)
    guard place < pieces[index].links.count, pieces[index].links[place] == link else { return }
    own(index)
    pieces[index].links.remove(at: place)
    count -= 1
    if pieces[index].links.isEmpty { pieces.remove(at: index) }
  }

  func forEach(_ body: (UInt64) -> Void) {
    for piece in pieces { for link in piece.links { body(link) } }
  }

  /// All links in ascending order.
  var links: [UInt64] {
    var list: [UInt64] = []
    list.reserveCapacity(count)
    forEach { list.append($0) }
    return list
  }
}
