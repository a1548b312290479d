#if FUZZING
  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  ) -> Int32

  nonisolated(unsafe) private var read: ([UInt8]) -> Void = { _ in }

  /// libFuzzer calls this function for each input.
  @_cdecl("LLVMFuzzerTestOneInput")
  func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    unsafe read(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  }

  /// SwiftPM expects an executable's main function under its target's name, and links it instead of
  /// libFuzzer's. The first argument is the harness, the others are libFuzzer's.
  @_cdecl("fuzz_parsers_main")
  func fuzzerMain(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) -> Int32 {
    guard let harness = Harness.chosen else {
      print("usage: fuzz-parsers \(Harness.names()) [OPTION|DIRECTORY...]")
      return 64
    }
    unsafe read = harness.read
    var rest = unsafe arguments + 1
    unsafe rest[0] = arguments[0]
    var left = count - 1
    return unsafe runDriver(&left, &rest, testOneInput)
  }
#endif
