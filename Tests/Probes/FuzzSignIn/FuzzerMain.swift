#if FUZZING
  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  ) -> Int32

  /// libFuzzer calls this function for each input.
  @_cdecl("LLVMFuzzerTestOneInput")
  func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    Parsers.read(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  }

  /// SwiftPM expects an executable's main function under its target's name, and links it instead of
  /// libFuzzer's.
  @_cdecl("fuzz_sign_in_main")
  func fuzzerMain(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) -> Int32 {
    var count = count
    var arguments = unsafe arguments
    return unsafe runDriver(&count, &arguments, testOneInput)
  }
#endif
