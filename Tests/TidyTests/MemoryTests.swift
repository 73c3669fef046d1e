// The rules about raw memory, over the whole tree and each on a sample.

import Testing

@Suite("Memory")
struct MemoryTests {
  @Test("byte order is dealt with in the folders for bytes only")
  func hostOrder() { expectNone(Repository.swiftFiles.flatMap(hostOrderUses)) }

  @Test("pointers appear in the folders for them only")
  func pointers() { expectNone(Repository.swiftFiles.flatMap(strayPointers)) }

  @Test("every file with pointers argues why they are safe")
  func arguments() { expectNone(Repository.swiftFiles.flatMap(unarguedPointers)) }

  @Test("every allowance names a folder or file under Sources and gives a reason")
  func allowanceTable() {
    for allowance in allowances {
      #expect(allowance.place.hasPrefix("Sources/"))
      #expect(allowance.place.hasSuffix("/") || allowance.place.hasSuffix(".swift"))
      #expect(allowance.reason.split(separator: " ").count >= 4)
    }
  }

  @Test(
    "the byte order rule finds loads, stores and swaps",
    arguments: [
      "let a = UInt32(bigEndian: b)", "let a = b.littleEndian", "a.loadUnaligned(as: Int.self)",
      "a.load(as: Int.self)", "a.load(fromByteOffset: 0, as: Int.self)", "htonl(a)",
      "a.storeBytes(of: 1, as: Int.self)", "let a = b.byteSwapped",
    ])
  func hostOrderSample(line: String) {
    #expect(hostOrderUses(SourceFile("Sources/Varve/Log/A.swift", line)).count == 1)
    #expect(hostOrderUses(SourceFile("Sources/VarveFormat/Bytes/A.swift", line)).isEmpty)
    #expect(hostOrderUses(SourceFile("Tests/VarveTests/A.swift", line)).isEmpty)
  }

  @Test("the byte order rule passes atomics, other loads, comments and strings")
  func hostOrderCleanSample() {
    let text = """
      let a = counter.load(ordering: .relaxed)
      let b = reference.load()
      func load() {}
      load()
      // bigEndian
      let b = "littleEndian"
      """
    #expect(hostOrderUses(SourceFile("Sources/Varve/Log/A.swift", text)).isEmpty)
  }

  @Test("the pointer rule finds every pointer type outside the folders for them")
  func pointerSample() {
    for type in ["UnsafeRawPointer", "UnsafeMutableRawBufferPointer", "OpaquePointer"] {
      let text = "let a: \(type)\n"
      #expect(strayPointers(SourceFile("Sources/Varve/Graph/A.swift", text)).count == 1)
      #expect(strayPointers(SourceFile("Sources/Varve/System/A.swift", text)).isEmpty)
    }
    let clean = "let a: RawSpan  // not an UnsafeRawPointer\n"
    #expect(strayPointers(SourceFile("Sources/Varve/Graph/A.swift", clean)).isEmpty)
  }

  @Test("the argument rule wants one SAFETY comment in a file with pointers")
  func argumentSample() {
    func count(_ text: String) -> Int {
      unarguedPointers(SourceFile("Sources/Varve/System/A.swift", text)).count
    }
    #expect(count("let a: UnsafeRawPointer") == 1)
    #expect(count("let b = \"// SAFETY: no\"\nlet a: UnsafeRawPointer") == 1)
    #expect(count("// SAFETY: the caller keeps it alive.\nlet a: UnsafeRawPointer") == 0)
    #expect(count("let a = 1") == 0)
  }
}
