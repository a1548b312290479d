import Foundation
import TokenVaultCrypto
import TokenVaultKeyCustody

/// A directory of device parts of its own.
final class DevicePartBench: StoringKeyCustodianBench {
  static let missing = CustodyError.keyMissing(generation: 1)

  static var failingStates: [FailingState<DevicePartBench>] {
    [
      FailingState(
        "readable by others", .keyFileUnsafe(path: shownPath, reason: .wideMode),
        isOfThePlace: false, enter: { try $0.set(mode: 0o644) }, leave: { try $0.set(mode: 0o600) }),
      FailingState(
        "cut short", .wrongKey, isOfThePlace: false,
        enter: { try Data([1, 2, 3]).write(to: $0.file) }),
      FailingState(
        "a pipe", .keyFileUnsafe(path: shownPath, reason: .notRegular), isOfThePlace: false,
        enter: {
          try $0.removeSecret()
          unsafe mkfifo($0.file.path, 0o600)
        }),
      FailingState(
        "a symbolic link", .keyFileUnsafe(path: shownPath, reason: .symlink), isOfThePlace: false,
        enter: {
          let moved = $0.directory.url.appending(path: "moved")
          try FileManager.default.moveItem(at: $0.file, to: moved)
          try FileManager.default.createSymbolicLink(at: $0.file, withDestinationURL: moved)
        }),
    ]
  }

  let reference = GroupKeyID.fresh()
  private let directory: TemporaryDirectory
  private static let shownPath = "part"
  private var file: URL { URL(filePath: custodian().path(of: reference)) }

  init() throws {
    directory = try TemporaryDirectory()
    try custodian().store(try SecretBytes.random(count: 32), as: reference)
  }

  func unusedReference() -> GroupKeyID { reference.with(generation: 2) }

  func custodian() -> DevicePartCustodian {
    DevicePartCustodian(directory: directory.url.appending(path: "state/parts").path)
  }

  func removeSecret() throws { try custodian().delete(reference) }

  func replaceSecret() throws {
    try removeSecret()
    try custodian().store(try SecretBytes.random(count: 32), as: reference)
  }

  func content() throws -> [String]? {
    try FileManager.default.subpathsOfDirectory(atPath: directory.url.path).sorted().map { name in
      let path = directory.path(name)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let isFile = attributes[.type] as? FileAttributeType == .typeRegular
      let text = isFile ? try Data(contentsOf: URL(filePath: path)).base64EncodedString() : ""
      return "\(name) \(attributes[.posixPermissions] ?? "") \(text)"
    }
  }

  func comparable(_ error: CustodyError) -> CustodyError {
    if case .keyFileUnsafe(file.path, let reason) = error {
      return .keyFileUnsafe(path: Self.shownPath, reason: reason)
    }
    return error
  }

  private func set(mode: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
  }
}
