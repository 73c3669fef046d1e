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
