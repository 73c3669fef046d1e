// Writes first inputs for the fuzzers into the folder of the argument: FOLDER/<fuzzer>.

import Foundation
import VarveFuzzing

let folder = URL(filePath: CommandLine.arguments.dropFirst().first ?? "corpus")
for (fuzzer, inputs) in try Fuzzing.seeds() {
  let place = folder.appending(path: fuzzer)
  try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
  for (number, input) in inputs.enumerated() {
    try Data(input).write(to: place.appending(path: "seed-\(number)"))
  }
  print("\(fuzzer): \(inputs.count) inputs")
}
