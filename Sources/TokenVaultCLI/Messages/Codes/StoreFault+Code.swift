import TokenVault

extension StoreFault {
  /// The stable name of the error in JSON.
  var code: String {
    switch self {
    case .notFound: "fileNotFound"
    case .exists: "fileExists"
    case .unsafe: "unsafeFile"
    case .notAGroupFile: "notAGroupFile"
    case .unsupportedVersion: "unsupportedVersion"
    case .damaged: "damagedGroup"
    case .wrongKey: "wrongKey"
    case .generationChanged: "groupBusy"
    case .accountGone: "accountGone"
    case .tooLarge: "valueTooLarge"
    case .busy: "groupBusy"
    case .diskFull: "diskFull"
    case .readOnly: "readOnly"
    case .notMade: "fileNotMade"
    case .io: "fileFailed"
    case .crypto: "cryptography"
    }
  }
}
