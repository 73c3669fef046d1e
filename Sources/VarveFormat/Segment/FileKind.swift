// Kinds of files (Q44).

/// What a file made of frames is.
package enum FileKind: UInt8, Sendable {
  case segment = 1
  case baseline = 3
  case receipt, blob, sentinel
  case localLog
  case bundle

  package var name: String { String(describing: self) }
}
