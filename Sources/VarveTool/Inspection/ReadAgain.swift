// Reads a store again whose files got other names, or were retired, while it was read.

import Varve
import VarveFormat

/// Repeats what only reads.
enum ReadAgain {
  private static let attemptsMax = 16

  /// Runs `body` until no file goes away under it.
  ///
  /// - Throws: What the body throws otherwise, and in the end.
  static func run<R>(_ body: () throws -> R) throws -> R {
    var attempts = 1
    while true {
      do { return try body() } catch {
        guard isNotFound(error), attempts < attemptsMax else { throw error }
        attempts += 1
      }
    }
  }

  private static func isNotFound(_ error: any Error) -> Bool {
    switch error {
    case let error as DiskError: error.code == .notFound
    case let error as LogError: error.diskError?.code == .notFound
    case let error as StoreError: error.logError?.diskError?.code == .notFound
    default: false
    }
  }
}
