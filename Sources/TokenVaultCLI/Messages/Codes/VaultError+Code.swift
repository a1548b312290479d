import TokenVault

extension VaultError {
  /// The stable name of the error in JSON.
  var code: String {
    switch self {
    case .homeNotSet: "homeNotSet"
    case .noGroup: "noGroup"
    case .groupExists: "groupExists"
    case .noManifest: "noManifest"
    case .badManifest: "badManifest"
    case .notAMember: "notAMember"
    case .noAccount: "noAccount"
    case .noAccountForDirectory: "noAccountForDirectory"
    case .ambiguousAccount: "ambiguousAccount"
    case .ambiguousCurrentAccount: "ambiguousCurrentAccount"
    case .noCurrentAccount: "noCurrentAccount"
    case .interactionRequired(.signedOut, account: _, group: _): "signedOut"
    case .interactionRequired: "interactionRequired"
    case .scopesRequired: "scopesRequired"
    case .sharedDeviceOccupied: "sharedDeviceOccupied"
    case .sharedDeviceTakesOne: "sharedDeviceTakesOne"
    case .aliasTaken: "aliasTaken"
    case .invalid: "invalidValue"
    case .olderFile: "olderFile"
    case .foreignBackup: "foreignBackup"
    case .store(let error, group: _): error.code
    case .custody(let error, group: _): error.code
    case .cache: "badCache"
    case .keyFileNotCreated: "fileNotMade"
    case .keyFileNotReplaceable: "keyFileNotReplaceable"
    case .file: "fileFailed"
    case .notInFile: "notInFile"
    case .ambiguousInFile: "ambiguousInFile"
    case .fileInUse: "fileInUse"
    case .clientRequired: "clientRequired"
    case .accountOfOtherIssuer: "accountOfOtherIssuer"
    case .refreshTokenNotStored: "refreshTokenNotStored"
    case .sharedDeviceRequiresBrowser: "sharedDeviceRequiresBrowser"
    case .signedInElsewhere: "signedInElsewhere"
    case .otherService: "otherService"
    case .secretNotSendable: "secretNotSendable"
    case .signIn(let error): error.code
    case .prompt(let error): Failure(error).code
    case .unexpected: "unexpected"
    }
  }
}
