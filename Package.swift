// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

let package = Package(
  name: "Varve",
  products: [
    .library(name: "Varve", targets: ["Varve"]),
    .executable(name: "varve", targets: ["VarveTool"]),
    .executable(name: "varve-bench", targets: ["VarveBenchmarks"]),
    // Entry points of the fuzzers, which are a package of their own (Tests/Fuzz).
    .library(name: "VarveFuzzing", targets: ["VarveFuzzing"]),
  ],
  targets: [
    // C libraries. Their headers name the -dev packages, so that a missing one is explained.
    .systemLibrary(
      name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "CXXHash"),
    // One header of Linux that Swift's modules for the C library leave out.
    .systemLibrary(name: "CStatfs"),

    // bytes <-> values
    .target(name: "VarveFormat", dependencies: ["CLZ4", "CXXHash"], swiftSettings: strict),
    // system, log, schema, graph
    .target(name: "Varve", dependencies: ["VarveFormat", "CStatfs"], swiftSettings: strict),
    // delimited text, plain or gzip -> columns
    .target(name: "VarveImport", dependencies: ["VarveFormat", "CZlib"], swiftSettings: strict),
    // the command `varve`
    .executableTarget(
      name: "VarveTool", dependencies: ["Varve", "VarveFormat", "VarveImport"],
      resources: [
        .embedInCode("Resources/airlines.csv.gz"), .embedInCode("Resources/airports.csv.gz"),
        .embedInCode("Resources/planes.csv.gz"), .embedInCode("Resources/weather.csv.gz"),
        .embedInCode("Resources/flights.csv.gz"),
      ],
      swiftSettings: strict),
    // the runner `varve-bench`
    .executableTarget(
      name: "VarveBenchmarks", dependencies: ["Varve", "VarveFormat", "VarveImport"],
      path: "Benchmarks/VarveBenchmarks", swiftSettings: strict),

    .target(
      name: "VarveTestSupport", dependencies: ["Varve", "VarveFormat"],
      path: "Tests/VarveTestSupport", swiftSettings: strict),
    .target(
      name: "VarveFuzzing", dependencies: ["VarveFormat", "VarveTestSupport"],
      path: "Tests/VarveFuzzing", swiftSettings: strict),
    .testTarget(
      name: "VarveFormatTests",
      dependencies: ["VarveFormat", "VarveTestSupport", "VarveFuzzing"],
      exclude: ["Findings/promise-taken-back.bin"], swiftSettings: strict),
    // appends to a store until a test kills it
    .executableTarget(
      name: "VarveCrashWriter", dependencies: ["Varve", "VarveFormat", "VarveTestSupport"],
      path: "Tests/VarveCrashWriter", swiftSettings: strict),
    .testTarget(
      name: "VarveTests", dependencies: ["Varve", "VarveTestSupport", "VarveCrashWriter"],
      exclude: ["Transcripts"], swiftSettings: strict),
    .testTarget(
      name: "VarveToolTests", dependencies: ["VarveTool", "VarveImport", "VarveTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "VarveSimulationTests", dependencies: ["Varve", "VarveTestSupport"],
      swiftSettings: strict),
    .testTarget(name: "TidyTests", swiftSettings: strict),
  ]
)

// Without testable imports the release-mode suites use the release build as it is. These have such
// imports, and stay out of that run.
if Context.environment["VARVE_RELEASE_SUITES"] != nil {
  package.targets.removeAll { ["VarveToolTests", "TidyTests"].contains($0.name) }
}
