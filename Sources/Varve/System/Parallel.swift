// Independent pieces of work on all cores. Layer: System.

import Dispatch
import Synchronization

/// Runs bodies in parallel and gathers their results in order.
package enum Parallel {
  /// The results of `body` for 0..<count.
  ///
  /// The error of the lowest failing index is thrown.
  package static func map<R: Sendable, E: Error>(
    _ count: Int, _ body: @Sendable @escaping (Int) throws(E) -> R
  ) throws(E) -> [R] {
    if count <= 1 {
      var results: [R] = []
      for index in 0..<count { results.append(try body(index)) }
      return results
    }
    let slots = Mutex([Result<R, E>?](repeating: nil, count: count))
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let result: Result<R, E>
      do throws(E) { result = .success(try body(index)) } catch { result = .failure(error) }
      slots.withLock { $0[index] = result }
    }
    var results: [R] = []
    results.reserveCapacity(count)
    for slot in slots.withLock({ $0 }) {
      if let slot { results.append(try slot.get()) }
    }
    return results
  }
}
