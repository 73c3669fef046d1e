// Byte comparison through the C library.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Negative, zero or positive as `a` sorts before, with or after `b`, byte by byte.
@inline(__always)
package func compareBytes(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Int {
  // SAFETY: the callers pass pointers to at least `count` readable bytes.
  count == 0 ? 0 : Int(memcmp(a, b, count))
}
