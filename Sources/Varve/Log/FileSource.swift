// A file as a source of bytes for the scanners of VarveFormat. Layer: Log.

import VarveFormat

/// Reads a file through the disk seam.
package final class FileSource: ByteSource {
  private let file: any DiskFile
  package let length: UInt64

  package init(_ file: any DiskFile) throws(DiskError) {
    self.file = file
    length = try file.length()
  }

  /// Opens a file for reading.
  package convenience init(_ disk: any Disk, _ path: String) throws(DiskError) {
    try self.init(try disk.open(path, .read))
  }

  /// Opens a segment, also when a writer gave it its sealed name since it was listed.
  package static func open(_ disk: any Disk, _ file: SegmentFile) throws(DiskError) -> FileSource {
    do throws(DiskError) {
      return try FileSource(disk, file.path)
    } catch  where error.code == .notFound {
      let directory = StorePaths.parent(file.path)
      for name in try disk.list(directory) {
        guard case .sealed(let first, _, _) = SegmentName(name),
          first == file.header.firstSequence
        else { continue }
        let source = try FileSource(disk, "\(directory)/\(name)")
        let header = try? FileHeader(try source.read(0, FileHeader.byteCount))
        if header == file.header { return source }
        source.close()
      }
      throw error
    }
  }

  package var path: String? { file.path }

  package func read(_ offset: UInt64, _ count: Int) throws(FormatError) -> Bytes {
    try read(offset, count, reusing: nil)
  }

  package func read(_ offset: UInt64, _ count: Int, reusing spare: Memory?) throws(FormatError)
    -> Bytes
  {
    let wanted = Int(min(UInt64(count), length > offset ? length - offset : 0))
    do throws(DiskError) {
      return try file.read(offset, wanted, reusing: spare)
    } catch {
      throw FormatError(
        .unreadable, error.message, offset: offset, path: error.path, cause: error.call)
    }
  }

  package func close() { try? file.close() }
}
