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

extension SlowDouble {
  /// Hands the shortest digits that read back as `value` to `body`, as a field.
  static func withShortest<Result>(_ value: Double, _ body: (FieldBytes) -> Result) -> Result? {
    // SAFETY: the pointer is used only inside the closure.
    Array("\(value)".utf8).withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { body(FieldBytes(base: $0, count: bytes.count, isQuoted: false)) }
    }
  }
}
