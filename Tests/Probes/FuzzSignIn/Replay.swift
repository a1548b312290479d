#if !FUZZING
  import Foundation

  /// Parses the files in its arguments: the fuzzer's findings, or the corpus.
  @main
  enum Replay {
    static func main() throws {
      for path in CommandLine.arguments.dropFirst() {
        Parsers.read(Array(try Data(contentsOf: URL(filePath: path))))
      }
    }
  }
#endif
