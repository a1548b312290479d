#if !FUZZING
  import Foundation

  /// Parses the files in its arguments: the fuzzer's findings, or the corpus.
  ///
  ///     fuzz-parsers HARNESS FILE...
  ///     fuzz-parsers template FILE     writes a group file whose key the harnesses have
  @main
  enum Replay {
    static func main() throws {
      let files = CommandLine.arguments.dropFirst(2).map { URL(filePath: $0) }
      if CommandLine.arguments.dropFirst().first == "template", let file = files.first {
        return try Data(try KnownGroup.template.get()).write(to: file)
      }
      guard let harness = Harness.chosen else {
        print("usage: fuzz-parsers \(Harness.names()) FILE...")
        exit(64)
      }
      for file in files {
        // The last line names the input that ends the program.
        FileHandle.standardOutput.write(Data("\(file.lastPathComponent)\n".utf8))
        // An input that takes longer ends the program: a parser must not hang.
        alarm(20)
        harness.read(Array(try Data(contentsOf: file)))
      }
    }
  }
#endif
