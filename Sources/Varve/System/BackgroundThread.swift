// A thread of our own, joined on stop. Layer: System.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs a body on a thread of its own until it returns.
package final class BackgroundThread: @unchecked Sendable {
  private var thread: pthread_t?

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts the thread; nil when the system cannot.
  package init?(_ run: @escaping @Sendable () -> Void) {
    let body = Unmanaged.passRetained(Body(run))
    #if canImport(Darwin)
      var created: pthread_t?
    #else
      var created = pthread_t()
    #endif
    // SAFETY: the body is retained for the thread, which releases it exactly once.
    let result = pthread_create(
      &created, nil,
      { pointer in
        #if canImport(Darwin)
          let body = Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue()
        #else
          guard let pointer else { return nil }
          let body = Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue()
        #endif
        body.run()
        return nil
      }, body.toOpaque())
    guard result == 0 else {
      body.release()
      return nil
    }
    thread = created
  }

  /// Waits until the body returned, unless the thread itself calls.
  package func join() {
    guard let thread else { return }
    self.thread = nil
    if pthread_equal(pthread_self(), thread) != 0 {
      pthread_detach(thread)
    } else {
      pthread_join(thread, nil)
    }
  }
}
