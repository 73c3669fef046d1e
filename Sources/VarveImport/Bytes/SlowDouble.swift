// Correctly rounded doubles from any number of digits, by the C library.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

enum SlowDouble {
  /// The double nearest to a number of checked syntax.
  ///
  /// The tool never sets a locale, so the point is a point.
  static func parse(_ field: FieldBytes) -> Double {
    var text = field.array
    text.append(0)
    // SAFETY: `text` ends with a NUL byte.
    return text.withUnsafeBytes { bytes in
      bytes.baseAddress.map { strtod($0.assumingMemoryBound(to: CChar.self), nil) } ?? 0
    }
  }
}
