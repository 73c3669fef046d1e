// The runner `varve-bench`: list, run, env.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The entry point.
@main
struct VarveBench {
  static let usage = """
    usage: varve-bench list
           varve-bench env
           varve-bench run [NAME...] [--scale tiny|full] [--samples N]
                           [--data DIR] [--store DIR] [--large] [--peers] [--json]

    NAME is a workload or the beginning of one. Without --data, tables are generated.
    --large also runs sizes that take minutes and gigabytes.
    --peers runs SQLite beside (package libsqlite3-dev; builds Benchmarks/Peers first).
    --store is where stores are made; use a real disk, not a file system in memory.

    """

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "list":
      for workload in Workload.all {
        print("\(workload.name)  [\(workload.group)]  \(workload.title)")
      }
    case "env":
      for (name, value) in RunEnvironment.facts(directory: ".") { print("\(name): \(value)") }
    case "run": exit(run(Array(arguments.dropFirst())))
    case "resident" where arguments.count == 2:
      do { try Workload.printResident(arguments[1]) } catch {
        print(error)
        exit(2)
      }
    case "-h", "--help", "help", nil: print(usage, terminator: "")
    default:
      print(usage, terminator: "")
      exit(64)
    }
  }

  private static func run(_ arguments: [String]) -> Int32 {
    var names: [String] = []
    var scale = Scale(isTiny: false, samples: 5, directory: "/var/tmp", data: nil)
    var isJSON = false
    var index = 0
    func value() -> String? {
      index += 1
      return index < arguments.count ? arguments[index] : nil
    }
    while index < arguments.count {
      switch arguments[index] {
      case "--scale": scale.isTiny = value() == "tiny"
      case "--samples": scale.samples = value().flatMap { Int($0) } ?? scale.samples
      case "--data": scale.data = value()
      case "--store": scale.directory = value() ?? scale.directory
      case "--large": scale.isLarge = true
      case "--peers":
        do { scale.peers = try Scale.buildPeers() } catch {
          print(error)
          return 2
        }
      case "--json": isJSON = true
      case let name where !name.hasPrefix("-"): names.append(name)
      default:
        print(usage, terminator: "")
        return 64
      }
      index += 1
    }
    if scale.isTiny { scale.samples = 1 }
    return run(names, scale, isJSON: isJSON)
  }

  private static func run(_ names: [String], _ scale: Scale, isJSON: Bool) -> Int32 {
    let chosen = Workload.all.filter { workload in
      names.isEmpty || names.contains { workload.name.hasPrefix($0) }
    }
    guard !chosen.isEmpty else {
      print("no workload is named \(names.joined(separator: ", "))")
      return 64
    }
    let environment = RunEnvironment.facts(directory: scale.directory)
    var results: [Measurement] = []
    for workload in chosen {
      do {
        results += try workload.run(scale)
      } catch {
        print("\(workload.name): \(error)")
        return 2
      }
    }
    if isJSON {
      print(Report.json(results, environment: environment))
    } else {
      print(environment.map { "\($0.0): \($0.1)" }.joined(separator: " · "))
      print(Report.text(results), terminator: "")
    }
    return 0
  }
}
