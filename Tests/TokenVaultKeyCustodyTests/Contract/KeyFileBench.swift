import Foundation
import TokenVaultKeyCustody

/// A key file in a directory of its own.
final class KeyFileBench: DerivingKeyCustodianBench {
  static let missing = CustodyError.keyFileMissing(path: shownPath)

  static var failingStates: [FailingState<KeyFileBench>] {
    [
      FailingState(
        "readable by others", .keyFileUnsafe(path: shownPath, reason: .wideMode),
        enter: { try $0.set(mode: 0o644) }, leave: { try $0.set(mode: 0o600) }),
      FailingState(
        "cut short", .keyFileUnsafe(path: shownPath, reason: .wrongSize),
        enter: { try Data([1, 2, 3]).write(to: $0.url) }),
      FailingState(
        "a pipe", .keyFileUnsafe(path: shownPath, reason: .notRegular),
        enter: {
          try $0.removeSecret()
          unsafe mkfifo($0.url.path, 0o600)
        }),
      FailingState(
        "a symbolic link", .keyFileUnsafe(path: shownPath, reason: .symlink),
        enter: {
          let file = $0.directory.url.appending(path: "moved")
          try FileManager.default.moveItem(at: $0.url, to: file)
          try FileManager.default.createSymbolicLink(at: $0.url, withDestinationURL: file)
        }),
      FailingState(
        "below a file", .keyFileUnreadable(path: shownPath, errno: ENOTDIR),
        enter: { $0.url = $0.url.appending(path: "below") },
        leave: { $0.url = $0.url.deletingLastPathComponent() }),
    ]
  }

  let reference: KeySlotParameters
  private let directory: TemporaryDirectory
  private var url: URL
  private static let shownPath = "key"

  init() throws {
    directory = try TemporaryDirectory()
    url = directory.url.appending(path: "key")
    reference = try KeyFileCustodian.newSlotParameters()
    try KeyFileCustodian.create(path: url.path)
  }

  func unusedReference() throws -> KeySlotParameters { try KeyFileCustodian.newSlotParameters() }

  func custodian() -> KeyFileCustodian { KeyFileCustodian(path: url.path) }

  func removeSecret() throws { try FileManager.default.removeItem(at: url) }

  func replaceSecret() throws {
    try removeSecret()
    try KeyFileCustodian.create(path: url.path)
  }

  func content() throws -> [String]? {
    try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted().map { name in
      let path = directory.path(name)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let isFile = attributes[.type] as? FileAttributeType == .typeRegular
      let text = isFile ? try Data(contentsOf: URL(filePath: path)).base64EncodedString() : ""
      return "\(name) \(attributes[.posixPermissions] ?? "") \(text)"
    }
  }

  func comparable(_ error: CustodyError) -> CustodyError {
    switch error {
    case .keyFileMissing(url.path): .keyFileMissing(path: Self.shownPath)
    case .keyFileUnsafe(url.path, let reason):
      .keyFileUnsafe(path: Self.shownPath, reason: reason)
    case .keyFileUnreadable(url.path, let errno):
      .keyFileUnreadable(path: Self.shownPath, errno: errno)
    default: error
    }
  }

  private func set(mode: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
  }
}
