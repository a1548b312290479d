import TokenVaultKeyCustody

extension CustodyError {
  /// The stable name of the error in JSON.
  var code: String {
    switch self {
    case .noBus: "noSessionBus"
    case .noService: "noSecretService"
    case .noDefaultCollection: "noDefaultCollection"
    case .locked: "keyringLocked"
    case .promptDismissed: "promptDismissed"
    case .keyMissing: "keyMissing"
    case .devicePartMissing: "devicePartMissing"
    case .devicePartFailed: "devicePartFailed"
    case .wrongKey: "wrongKey"
    case .wrongPassphrase: "wrongPassphrase"
    case .alreadyStored: "keyAlreadyStored"
    case .notDeleted: "keyNotDeleted"
    case .itemNotChanged: "itemNotChanged"
    case .serviceGone: "secretServiceGone"
    case .timedOut: "secretServiceTimedOut"
    case .libraryMissing: "libsecretMissing"
    case .tooManyOpenFiles: "tooManyOpenFiles"
    case .tooManyThreads: "tooManyThreads"
    case .refused: "secretServiceRefused"
    case .badAnswer: "badSecretServiceAnswer"
    case .passphraseRequired: "passphraseRequired"
    case .keyFileMissing: "keyFileMissing"
    case .keyFileUnsafe: "keyFileUnsafe"
    case .keyFileUnreadable: "keyFileUnreadable"
    case .badRecoveryCode: "badRecoveryCode"
    case .kernelKeyring: "kernelKeyringFailed"
    case .crypto: "cryptography"
    }
  }
}
