// Fuzzes baselines, and the payloads of their DIRECTORY and SEAL frames.

import VarveFuzzing

/// One run of the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
  Fuzzing.baseline(UnsafeRawBufferPointer(start: data, count: count))
  return 0
}
