// Another program that answers line by line.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program that was started, with pipes to its standard input and output.
final class ChildProcess {
  private let process: pid_t
  private let input: Int32
  private let output: UnsafeMutablePointer<FILE>

  /// Starts a program; a name without a slash is looked up in `PATH`.
  init(_ arguments: [String]) throws {
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw WorkloadError("no pipe") }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    for file in toChild + fromChild { posix_spawn_file_actions_addclose(&actions, file) }
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    var child: pid_t = 0
    let result = posix_spawnp(&child, pointers[0] ?? strdup(""), &actions, nil, pointers, environ)
    close(toChild[0])
    close(fromChild[1])
    guard result == 0, let stream = fdopen(fromChild[0], "r") else {
      throw WorkloadError("\(arguments.first ?? "") cannot be started: error \(result)")
    }
    process = child
    input = toChild[1]
    output = stream
  }

  /// Writes a line and reads the answer.
  func ask(_ line: String) throws -> String {
    let bytes = Array((line + "\n").utf8)
    guard write(input, bytes, bytes.count) == bytes.count, let answer = readLine() else {
      throw WorkloadError("the other program ended at \"\(line)\"")
    }
    return answer
  }

  /// The next line of its output; nil at the end.
  func readLine() -> String? {
    var buffer: UnsafeMutablePointer<CChar>?
    var capacity = 0
    let count = getline(&buffer, &capacity, output)
    defer { free(buffer) }
    guard count > 0, let buffer else { return nil }
    return String(cString: buffer).split(separator: "\n", omittingEmptySubsequences: false).first
      .map(String.init)
  }

  /// Closes its input, reads the rest, and returns its exit status.
  @discardableResult
  func finish() -> Int32 {
    close(input)
    while readLine() != nil {}
    fclose(output)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return status >> 8 & 0xFF
  }
}
