// All workloads.

extension Workload {
  static let all: [Workload] = [
    .importColumns, .replay, .commitSingle, .commitThreads, .commitRelaxed, .verifyNormal,
  ]
}
