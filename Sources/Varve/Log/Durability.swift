// How much of a finished write survives (D2, Q61). Layer: Log.

/// When a commit is acknowledged, and what survives after that.
///
/// | | process crash | system crash, power loss |
/// |---|---|---|
/// | `full` | survives | survives |
/// | `grouped` | survives | survives |
/// | `relaxed` | survives | the last interval may be lost, nothing earlier, no part |
public enum Durability: Sendable, Equatable {
  /// Acknowledged after `fdatasync`. The default.
  case full
  /// As `full`, but the committer waits up to so many milliseconds for others to share its sync.
  case grouped(milliseconds: UInt32)
  /// Acknowledged after the write to the operating system; synced by a timer.
  case relaxed
}
