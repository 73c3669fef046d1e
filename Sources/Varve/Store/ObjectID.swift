// The name of an object for programs. Layer: Store.

import VarveFormat

/// Names an object for ever: the same on every replica, in every process.
///
/// Its text is `entity/replica/serial`, or `entity/#hash` for an object that is named by its key.
public struct ObjectID: Hashable, Sendable {
  package let name: ObjectName

  package init(_ name: ObjectName) { self.name = name }

  /// The tag of the object's entity.
  public var entity: UInt32 { name.entity }
}

extension ObjectID: CustomStringConvertible {
  /// `entity/replica/serial` or `entity/#hash`.
  public var description: String {
    switch name.origin {
    case .created(.replica(let replica), let serial): "\(name.entity)/\(replica)/\(serial)"
    case .created(.branch(let replica, let fork, let prefix), let serial):
      "\(name.entity)/\(replica)~\(fork)~\(hexadecimalText(prefix))/\(serial)"
    case .identity(let hash): "\(name.entity)/#\(hash)"
    }
  }

  private func hexadecimalText(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }.joined()
  }
}
