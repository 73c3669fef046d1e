// What tells one machine from another (R37). Layer: Log.

import VarveFormat

/// The identity of the machine that a process runs on.
package enum HostIdentity {
  /// A hash of the machine's own identifier; 0 when it has none that can be read.
  package static let current: UInt64 = {
    let disk = PosixDisk()
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let source = try? FileSource(disk, path) else { continue }
      defer { source.close() }
      if let bytes = try? source.read(0, 64), bytes.count >= 16 {
        return Checksum.hash64(seed: 0, bytes)
      }
    }
    return 0
  }()
}
