// What the process learns from the system: error texts, environment, terminal.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Texts of the system.
enum SystemText {
  /// The sentence of an error number.
  static func error(_ number: Int32) -> String {
    // SAFETY: `strerror` returns a C string that lives until the next call on this thread.
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
  }

  /// The values of those of `names` that are set.
  static func environment(_ names: [String]) -> [String: String] {
    var values: [String: String] = [:]
    for name in names {
      // SAFETY: the string is copied before anything can change the environment; the tool never
      // changes it.
      if let value = getenv(name) { values[name] = String(cString: value) }
    }
    return values
  }
}

/// The terminal behind a descriptor.
enum Terminal {
  /// Its columns, else `COLUMNS`, else 80.
  static func width(descriptor: Int32 = 1, environment: [String: String] = [:]) -> Int {
    var size = winsize()
    // SAFETY: the call fills in the structure that it is given.
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
    return 80
  }
}
