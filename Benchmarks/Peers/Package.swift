// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the product never links what it is compared with.
// Needs the Debian package libsqlite3-dev; `varve-bench run --peers` builds it.
let package = Package(
  name: "VarvePeers",
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .executableTarget(
      name: "peer-sqlite", dependencies: ["CSQLite"], path: "Sources/PeerSQLite"),
  ]
)
