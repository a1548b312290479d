#if !FUZZING
  import Foundation

  /// Reads each file again that is named: what the fuzzer found, or the corpus.
  @main
  enum Replay {
    static func main() throws {
      for path in CommandLine.arguments.dropFirst() {
        Parsers.read(Array(try Data(contentsOf: URL(filePath: path))))
      }
    }
  }
#endif
