// One segment file as a directory listing shows it. Layer: Log.

import VarveFormat

/// A segment file whose header was read.
package struct SegmentFile: Sendable {
  package let path: String
  /// Nil for a loose file with a name of its own.
  package let name: SegmentName?
  package let header: FileHeader
  package let length: UInt64
  /// The trailer, when the file ends with a valid one.
  package let trailer: Trailer?

  package var isSealed: Bool { trailer != nil }

  package init(
    path: String, name: SegmentName?, header: FileHeader, length: UInt64, trailer: Trailer?
  ) {
    self.path = path
    self.name = name
    self.header = header
    self.length = length
    self.trailer = trailer
  }

  /// Reads header and trailer, and checks them against the name and the store.
  package static func inspect(
    _ disk: any Disk, path: String, name: SegmentName, store: StoreID?, replica: ReplicaID?
  ) throws(FormatError) -> SegmentFile {
    let source: FileSource
    do throws(DiskError) { source = try FileSource(disk, path) } catch {
      throw FormatError(.unreadable, error.message, path: path, cause: error.call)
    }
    defer { source.close() }
    let header: FileHeader
    do throws(FormatError) {
      header = try FileHeader(try source.read(0, FileHeader.byteCount))
    } catch { throw error.at(path: path) }
    guard header.kind == .segment, store == nil || header.store == store,
      replica == nil || header.replica == replica
    else {
      throw FormatError(
        .wrongFile, "the file belongs to store \(header.store), replica \(header.replica)",
        offset: 24, path: path)
    }
    let trailer = try trailer(source, header)
    switch name {
    case .open(let ordinal) where ordinal != header.ordinal:
      throw FormatError(.wrongFile, "the name says ordinal \(ordinal)", offset: 56, path: path)
    case .sealed(let first, _, _) where first != header.firstSequence:
      throw FormatError(.wrongFile, "the name says sequence \(first)", offset: 64, path: path)
    default: break
    }
    return SegmentFile(
      path: path, name: name, header: header, length: source.length, trailer: trailer)
  }

  /// The SEAL of a file under its sealed name; nil when name, header, SEAL and trailer disagree.
  ///
  /// - Throws: `disk`.
  package func seal(_ disk: any Disk) throws(LogError) -> Seal? {
    guard let trailer, case .sealed(let first, let last, _) = name else { return nil }
    do throws(DiskError) {
      let source = try FileSource(disk, path)
      defer { source.close() }
      do throws(FormatError) {
        var scanner = try SegmentScanner(source)
        let frame = try scanner.frame(at: trailer.sealOffset)
        guard frame.header.type == .seal, frame.end + UInt64(Trailer.byteCount) == length else {
          return nil
        }
        let seal = try frame.content {
          (reader: inout ByteReader) throws(FormatError) in try Seal(&reader)
        }
        let isConsistent =
          seal.chain == trailer.chain && seal.firstSequence == first && seal.lastSequence == last
          && first == header.firstSequence
        return isConsistent ? seal : nil
      } catch { return nil }
    } catch { throw LogError(error) }
  }

  /// The trailer at the end of a file, if a valid one is there.
  package static func trailer(_ source: any ByteSource, _ header: FileHeader)
    throws(FormatError) -> Trailer?
  {
    let size = UInt64(Trailer.byteCount)
    guard source.length >= UInt64(FileHeader.byteCount) + size else { return nil }
    let offset = source.length - size
    let bytes = try source.read(offset, Trailer.byteCount)
    do throws(FormatError) {
      return try Trailer(bytes, offset: offset, salt: header.salt)
    } catch  where error.code == .unreadable { throw error } catch { return nil }
  }
}
