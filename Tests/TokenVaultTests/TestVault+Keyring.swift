import Foundation
import TokenVaultKeyCustody
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

extension TestVault {
  var custodian: SecretServiceCustodian {
    SecretServiceCustodian(busAddress: session.busAddress, allowPrompt: false)
  }

  /// The places of the parts of the groups' keys.
  var parts: KeyPartStore { KeyPartStore(configuration()) }

  /// The secrets of all group keys in the keyring, as secret-tool prints them.
  func keyringSecrets() throws -> [String] {
    let found = try session.run([
      "secret-tool", "search", "--all", "xdg:schema", "dev.tokenvault.GroupKey",
    ])
    return found.split(separator: "\n").compactMap { line in
      line.hasPrefix("secret = ") ? String(line.dropFirst(9)) : nil
    }
  }

  /// The content of all files with device parts.
  func deviceParts() throws -> [[UInt8]] {
    let directory = URL(filePath: configuration().devicePartDirectory)
    return try FileManager.default.contentsOfDirectory(
      at: directory, includingPropertiesForKeys: nil
    )
    .map { [UInt8](try Data(contentsOf: $0)) }
  }

  /// The generations of a group's keys, as secret-tool finds them, independently of the code under
  /// test.
  func keyringGenerations(_ groupID: [UInt8]) throws -> [Int] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["secret-tool", "search", "--all", "group", Hexadecimal.encode(groupID)]
    process.environment = session.environment
    let output = Pipe()
    process.standardOutput = output
    // secret-tool prints attributes to standard error.
    process.standardError = output
    try process.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").compactMap { line in
      line.hasPrefix("attribute.generation = ") ? Int(line.dropFirst(23)) : nil
    }.sorted()
  }
}
