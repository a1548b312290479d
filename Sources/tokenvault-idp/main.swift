import Foundation
import TokenVaultIdentityProvider

/// The options of the command line.
struct Options {
  var port: UInt16 = 0
  var address: String?
  var configuration = Configuration()
  var endsWithInput = false
  var providerFile: String?

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch (option, option == "--until-eof" ? nil : rest.popFirst()) {
      case ("--until-eof", _): endsWithInput = true
      case ("--port", let value?): port = try UInt16(value) ?? { throw Usage() }()
      case ("--address", let value?): address = value
      case ("--provider-file", let value?): providerFile = value
      case ("--config", let value?):
        configuration = try Configuration(json: try Data(contentsOf: URL(filePath: value)))
      default: throw Usage()
      }
    }
  }
}

struct Usage: Error {}

/// Writes a provider file (docs/providers.md), so that `tokenvault sign-in NAME` finds this provider.
func writeProviderFile(_ path: String, _ content: Data) throws {
  let file = URL(filePath: path)
  try FileManager.default.createDirectory(
    at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
    attributes: [.posixPermissions: 0o700])
  try content.write(to: file, options: .atomic)
  try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
}

func write(_ text: String, to file: FileHandle) {
  file.write(Data((text + "\n").utf8))
}

do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  let server = try Server(
    port: options.port, address: options.address, configuration: options.configuration)
  if options.endsWithInput {
    // The process that started this one may be killed; its end of the pipe closes then.
    Thread.detachNewThread {
      while !FileHandle.standardInput.availableData.isEmpty {}
      // exit would free OpenSSL's locks, which a request on another thread may need.
      _exit(0)
    }
  }
  if let path = options.providerFile { try writeProviderFile(path, server.providerFile) }
  write("ready http://127.0.0.1:\(server.port)", to: .standardOutput)
  server.run()
} catch is Usage {
  write(
    "usage: tokenvault-idp [--port N] [--config FILE.json] [--address URL] "
      + "[--provider-file FILE.json] [--until-eof]",
    to: .standardError)
  exit(2)
} catch {
  write("tokenvault-idp: \(error)", to: .standardError)
  exit(1)
}
