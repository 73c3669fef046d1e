// When to rotate, preallocate and mark: numbers in, decision out. Layer: Log.

/// When a segment is sealed and the next one begins (Q45).
package struct RotationPolicy: Sendable {
  package var segmentBytes: UInt64 = 16 << 20

  package init(segmentBytes: UInt64 = 16 << 20) { self.segmentBytes = segmentBytes }

  func isDue(_ offset: UInt64) -> Bool { offset >= segmentBytes }
}

/// How far ahead a segment is filled with zeros (Q52), so that a sync need not write metadata.
package struct PreallocationPolicy: Sendable {
  package var firstBytes: UInt64 = 256 << 10
  package var stepBytesMax: UInt64 = 4 << 20

  package init(firstBytes: UInt64 = 256 << 10, stepBytesMax: UInt64 = 4 << 20) {
    self.firstBytes = firstBytes
    self.stepBytesMax = stepBytesMax
  }

  /// No preallocation.
  package static let none = PreallocationPolicy(firstBytes: 0, stepBytesMax: 0)

  /// Zeros to write behind a group that ends at `end`, when the file is filled up to `allocated`.
  ///
  /// Steps double from the first one. A group that is larger than a step extends the file by
  /// itself.
  func bytes(groupEnd end: UInt64, groupBytes: UInt64, allocated: UInt64) -> UInt64 {
    guard stepBytesMax > 0, end > allocated, groupBytes < firstBytes else { return 0 }
    return min(max(allocated, firstBytes), stepBytesMax)
  }
}

/// How a log behaves; every default can be seen here.
package struct LogOptions: Sendable {
  package var rotation = RotationPolicy()
  package var preallocation = PreallocationPolicy()
  /// How commits are acknowledged unless they say otherwise.
  package var durability = Durability.full
  /// Idle time after which a MARK publishes the durable length.
  package var idleMilliseconds: UInt64 = 200
  /// Interval of the sync of relaxed commits.
  package var relaxedSyncMilliseconds: UInt64 = 1_000
  /// Bytes of each of the two reserve files (D7).
  package var reserveBytes: UInt64 = 512 << 10
  /// Whether a network or user-space file system is accepted for writing (D9).
  package var allowsRemote = false
  /// Whether a timer thread syncs relaxed commits and writes marks.
  ///
  /// Simulations drive time themselves.
  package var usesTimer = true
  /// The identity of this machine, compared with the recorded one (R37).
  package var host: UInt64 = 0

  package init() {}
}
