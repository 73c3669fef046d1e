// All workloads of the runner, in the order of a full run.

extension Workload {
  static let all: [Workload] = [
    .importColumns, .replay, .commitSingle, .commitThreads, .commitRelaxed, .verifyNormal,
    .graphOpen, .graphSize, .graphAll, .graphRebuild, .graphGrowth, .graphRead, .graphUpdate,
    .graphCommit, .graphDelete, .graphMemory,
  ]
}
