import Foundation

// Writes a manual page: tokenvault --experimental-dump-help | tokenvault-manual TEMPLATE
do {
  guard CommandLine.arguments.count == 2 else {
    throw CocoaError(
      .fileNoSuchFile, userInfo: [NSLocalizedDescriptionKey: "usage: tokenvault-manual TEMPLATE"])
  }
  let template = try String(contentsOf: URL(filePath: CommandLine.arguments[1]), encoding: .utf8)
  let dump = try JSONDecoder().decode(
    CommandInfo.Dump.self, from: FileHandle.standardInput.readDataToEndOfFile())
  FileHandle.standardOutput.write(Data(ManualPage(dump.command).text(template).utf8))
} catch {
  FileHandle.standardError.write(Data("tokenvault-manual: \(error.localizedDescription)\n".utf8))
  exit(1)
}
