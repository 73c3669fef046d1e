// swift-tools-version: 6.2
import PackageDescription

// A package of its own: libFuzzer brings its own `main` and needs flags that a package which others
// depend on must not have. See README.md for the commands.
let fuzzers = ["FuzzFrames", "FuzzTransactions", "FuzzColumns", "FuzzSuperblock", "FuzzBaseline"]

let package = Package(
  name: "VarveFuzz",
  dependencies: [.package(name: "Varve", path: "../..")],
  targets: fuzzers.map { name in
    .executableTarget(
      name: name, dependencies: [.product(name: "VarveFuzzing", package: "Varve")],
      swiftSettings: [.unsafeFlags(["-parse-as-library"])])
  } + [
    .executableTarget(
      name: "FuzzSeeds", dependencies: [.product(name: "VarveFuzzing", package: "Varve")])
  ]
)
