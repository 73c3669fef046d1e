// A file whose header is replaced: to read frames behind a damaged header.

import VarveFormat

/// The bytes of another source with 128 other bytes in front.
struct PatchedSource: ByteSource {
  let base: any ByteSource
  let header: Bytes

  init(_ base: any ByteSource, header: FileHeader) {
    self.base = base
    self.header = header.encoded
  }

  var length: UInt64 { base.length }
  var path: String? { base.path }

  func read(_ offset: UInt64, _ count: Int) throws(FormatError) -> Bytes {
    let bytes = try base.read(offset, count)
    guard offset < UInt64(header.count), bytes.count > 0 else { return bytes }
    let start = Int(offset)
    let patched = min(header.count - start, bytes.count)
    var writer = ByteWriter(capacity: bytes.count)
    writer.bytes(header.slice(start, patched))
    writer.bytes(bytes.slice(patched, bytes.count - patched))
    return writer.finish()
  }
}
