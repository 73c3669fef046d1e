// Fuzzes slots of the superblock and file headers.

import VarveFuzzing

/// One run of the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
  Fuzzing.superblock(UnsafeRawBufferPointer(start: data, count: count))
  return 0
}
