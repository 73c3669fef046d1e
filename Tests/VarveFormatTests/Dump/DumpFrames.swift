// Segments of any frames, valid by their hashes whatever is in them. Shared by tests of the dump.

import VarveFormat
import VarveTestSupport

/// Builds files frame by frame.
enum DumpFrames {
  /// One frame before it has a place.
  struct Frame {
    var type: FrameType
    var raw: Bytes
    var flags: UInt8 = 0
    var sequence: UInt64 = 1
    var synced: UInt64 = 128
  }

  static func segment(_ frames: [(FrameType, Bytes)]) throws -> Bytes {
    segment(frames.map { Frame(type: $0.0, raw: $0.1) })
  }

  static func segment(_ frames: [Frame]) -> Bytes {
    var file = DumpSample.header.encoded.array
    for frame in frames {
      let offset = file.count
      var writer = ByteWriter()
      writer.uint32(0)
      writer.uint8(frame.type.rawValue)
      writer.uint8(frame.flags)
      writer.uint16(0)
      writer.uint32(UInt32(frame.raw.count))
      writer.uint32(UInt32(frame.raw.count))
      writer.uint64(frame.sequence)
      writer.uint64(frame.synced)
      writer.uint64(0)
      writer.bytes(frame.raw)
      writer.pad()
      file += writer.finish().array
      Reseal.frame(&file, at: offset, salt: DumpSample.header.salt)
    }
    return Bytes(file)
  }
}
