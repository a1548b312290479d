import Foundation
@testable import TokenVault
import TokenVaultModel
import TokenVaultSignIn

@testable import TokenVaultCLI

/// One value of each error, with hostile or awkward text where a message repeats it.
enum ErrorSamples {
  static let group = GroupName.universalStorage
  static let path = "/srv/ada/a file"
  static let ada = UIFixtures.account("ada@contoso.example")
  static let bob = UIFixtures.account("bob smith@contoso.example")
  static let eve = UIFixtures.secret()
  static let page = address("https://login.example.com/t/v2.0/adminconsent?client_id=c&scope=s")
  static let refusal = OAuthError(code: "invalid_client", text: "Trace ID: 1", status: 400)
  static let findings: VerificationFindings = {
    var findings = VerificationFindings()
    findings.structure = "row 1"
    (findings.damagedAccounts, findings.strayRows) = (1, 1)
    findings.isHistoryDamaged = true
    return findings
  }()

  private static func address(_ text: String) -> HTTPURL {
    guard let address = HTTPURL(text) else { preconditionFailure("not an address: \(text)") }
    return address
  }

  static var all: [any Error] {
    let reachable: [any Error] =
      commands + vault + custody.map { VaultError.custody($0, group: group) }
      + store.map { VaultError.store($0, group: group) } + signIn.map { VaultError.signIn($0) }
      + transport.map { VaultError.signIn(.transport($0)) }
    return reachable + failures
  }

  private static let commands: [CommandError] = [
    .badGroupName("A b", from: .variable), .noHome, .noWorkingDirectory,
    .badVaultDirectory("", .empty),
    .badVaultDirectory("x", .relative), .badVaultDirectory(path, .notADirectory),
    .notUTF8("Argument 1"), .unknownBrowser("x y"), .output(errno: ENOSPC),
    .input(path: path, errno: ENOENT), .input(path: path, errno: EIO),
    .inputTooLarge(path: path, limit: 1 << 20), .secretTooLarge("standard input", limit: 1 << 20),
    .fileExists(path: path, replacing: "--force"), .fileExists(path: path, replacing: nil),
    .fileNotMade(path: path, errno: ENOENT), .fileNotWritten(path: path, errno: ENOSPC),
    .interrupted, .confirmationNeeded(.noInput), .confirmationNeeded(.noTerminal), .declined,
    .pickerNeedsTerminal, .screenNeedsTerminal, .accountNotNamed, .accountNamedTwice,
    .exportNeedsTarget, .secretNotNamed, .secretNotPrintable, .secretNotText, .badDuration("9z"),
    .badServiceURL("x y"), .badUsername(""), .badHeader(.own("Host"), number: 1),
    .badHeader(.controlCharacter("A"), number: 1), .badHeader(.form, number: 1),
    .noScheme("example.com/a b"), .badExpiry("x"),
    .noSecret(of: "https://h/a b", named: "x", groups: [group]), .secretHasNoSignIn(eve),
    .notASecret(ada), .badMember("a/b"), .badCustody("x"), .keyFileNotNamed, .badTitle,
    .optionsExclude("--a", "--b"),
    .groupNotNamed(form: "tokenvault group backup NAME FILE"), .unknownGroup(group),
    .unknownGroup(group, resembling: group), .groupNotCreated(group, resembling: nil),
    .groupNotCreated(group, resembling: group),
    .noAccount("x", group: group, resembling: "ada@contoso.example"),
    .prefixNotTaken("bob", command: "sign-out", bob), .nothingTo("back up", group: group),
    .groupDamaged(group, path: path), .nothingSignedIn(group),
    .unknownClient("x", of: ada, group: group), .unknownClient("x", of: nil, group: group),
    .weakPassphrase, .recoveryCodeNotGiven(group), .notABackup(path, group: group),
    .oldBackup(path, group: group, generation: 1, newest: 2),
    .backupOfOther(path, group: group, other: .secrets),
    .backupOfOther(path, group: group, other: nil),
    .backupKeyMissing(path, group: group, hasRecoveryCode: true),
    .backupKeyMissing(path, group: group, hasRecoveryCode: false), .passphrasesDiffer,
    .rowsDamaged(1, group: group), .notSound(findings, group: group),
    .historyDamaged(group: group), .notClean([.log], group: group),
    .filesNotClean([path], next: nil), .noDirectoryRule(path),
    .noProviderNamed(configuration: path), .noProvider("x", resembling: nil),
    .noProvider("gitub", resembling: "github"), .providerNeedsURL("gitlab"),
    .providerTakesNoURL("github"), .notHTTPS("http://h", next: "tokenvault sign-in oidc https://h"),
    .signInUnknown(.clientID, configuration: path), .signInUnknown(.authority, configuration: path),
    .badClaims("x"),
  ]

  private static let vault: [VaultError] =
    [
      .homeNotSet, .noGroup(group), .groupExists(group), .noManifest(group),
      .badManifest(path: path, fault: .notJSON), .badManifest(path: path, fault: .unsafe),
      .notAMember(executable: path, group: group), .noAccount("x", group: group),
      .noAccountForDirectory(path, group: group), .ambiguousAccount("x", candidates: [ada, bob]),
      .ambiguousCurrentAccount(candidates: [ada, bob], group: group),
      .ambiguousCurrentAccount(candidates: [bob], group: group),
      .noCurrentAccount(.groupDoesNotExist, group: group),
      .noCurrentAccount(.noAccounts, group: group),
      .noCurrentAccount(.allSignedOut, group: group),
      .noCurrentAccount(.noneForClient, group: group),
      .noCurrentAccount(.noneMatches, group: group),
      .noCurrentAccount(.onlyInOtherGroups([.secrets]), group: group),
      .scopesRequired(stored: ["a"], account: ada), .sharedDeviceOccupied(by: bob),
      .sharedDeviceTakesOne(given: 2), .sharedDeviceRequiresBrowser(group: group),
      .aliasTaken("work", by: ada), .invalid(.alias),
      .olderFile(group, generation: 1, newest: 2), .foreignBackup(group, of: .secrets),
      .foreignBackup(group, of: nil), .cache(.notACache),
      .keyFileNotCreated(path: path, errno: EACCES),
      .keyFileNotReplaceable(path: path, group: group),
      .file(path: path, call: "mkdir", errno: EACCES),
      .file(path: path, call: "write", errno: EIO), .file(path: path, call: "read", errno: EIO),
      .notInFile(path: path), .ambiguousInFile(path: path, candidates: ["a b", "c"]),
      .fileInUse(path: path), .clientRequired(stored: ["a"], account: ada),
      .accountOfOtherIssuer(bob),
      .signedInElsewhere(bob, issuer: "https://a", requested: "https://b"),
      .refreshTokenNotStored(because: .store(.diskFull, group: group), account: bob, group: group),
      .otherService("https://a", requested: "https://b"), .secretNotSendable(as: "refresh_token"),
      .secretNotSendable(as: "Basic"), .prompt(CommandError.declined), .unexpected(type: "X"),
    ]
    + reasons.flatMap { reason in
      [ada, UIFixtures.account("eve", clients: []), eve].map {
        .interactionRequired(reason, account: $0, group: group)
      }
    }

  private static let reasons: [InteractionReason] = [
    .noToken, .expired(UIFixtures.now), .expired(nil), .signedOut, .newTokenRequested,
    .otherTenant(["a b"]), .refused(refusal), .refused(OAuthError(code: "invalid_scope")),
    .unknownAuthority,
  ]

  static let custody: [CustodyError] = [
    .noBus, .noService, .noDefaultCollection, .locked, .promptDismissed, .keyMissing(generation: 1),
    .devicePartMissing(path: path), .devicePartFailed(path: path), .wrongKey, .wrongPassphrase,
    .alreadyStored(generation: 1), .notDeleted(generation: 1), .itemNotChanged, .serviceGone,
    .timedOut, .libraryMissing, .tooManyOpenFiles, .tooManyThreads, .refused(name: "org.x"),
    .badAnswer,
    .passphraseRequired,
    .keyFileMissing(path: path), .keyFileMissing(path: ""),
    .keyFileUnsafe(path: path, reason: .wideMode), .keyFileUnsafe(path: path, reason: .symlink),
    .keyFileUnreadable(path: path, errno: EIO), .badRecoveryCode, .kernelKeyring(errno: EACCES),
    .crypto,
  ]

  static let store: [StoreFault] = [
    .notFound(path: path), .exists(path: path), .unsafe(path: path, reason: .symbolicLink),
    .unsafe(path: path, reason: .foreignOwner(uid: 1)),
    .unsafe(path: path, reason: .wideMode(0o644)), .unsafe(path: path, reason: .wrongType),
    .unsafe(path: path, reason: .networkFileSystem),
    .notAGroupFile(path: path), .unsupportedVersion(9), .damaged(rows: nil), .damaged(rows: 1),
    .wrongKey, .generationChanged, .accountGone, .tooLarge(limit: 1), .busy, .diskFull,
    .readOnly(path: path), .notMade(path: path, errno: EACCES), .io(call: "read", code: EIO),
    .io(call: "read", code: 1010), .crypto,
  ]

  static let signIn: [SignInError] = [
    .invalidAuthority, .unsupportedAuthority, .invalidRedirectURI, .invalidRequest(.url),
    .invalidRequest(.header), .invalidRequest(.method), .invalidRequest(.scope),
    .badDiscovery(.status(503)), .badDiscovery(.status(404)), .badDiscovery(.notJSON),
    .badDiscovery(.issuer), .notOffered(.pkce), .redirectUnavailable(EADDRINUSE),
    .clientsUnknown(EACCES), .redirectSchemeNotRegistered(scheme: "msauth.x"),
    .sessionAlreadyRunning, .timedOut, .cancelled, .userCancelled, .stateMismatch, .browserRefused,
    .issuerMismatch, .badRedirect, .passwordResetRequested, .policyCancelled, .provider(refusal),
    .provider(OAuthError(code: "x", status: 429)), .adminConsentRequired(page: page, refusal),
    .deviceCodeExpired, .badAnswer(.notJSON(status: 503)), .badAnswer(.notJSON(status: 200)),
    .badAnswer(.notJSON(status: 400)), .badAnswer(.redirect), .idToken(.keysUnavailable),
    .idToken(.nonce), .idToken(.expired), .declinedScopes(granted: ["a"], declined: ["b"]),
    .cryptography, .issuedElsewhere(issuer: "https://a", requested: "https://b"),
    .hostNotAllowed(host: "a", allowed: ["b"]), .providerNotDescribed(file: path, host: "a"),
    .mismatchedUser, .throttled(untilEpochSeconds: 1, refusal),
    .throttled(untilEpochSeconds: 1, nil),
  ]

  static let transport: [TransportError] = [
    .unknownHost("h"), .unreachable(host: "h"), .refused(host: "h"), .unreachableProxy,
    .untrusted(host: "h"), .noTLS(host: "h"), .badCertificateFile(path: path), .timedOut(host: "h"),
    .tooLarge(limit: 1), .notHTTP(host: "h"), .notConfidential(host: "h"), .cancelled, .noLibrary,
    .other(code: 1),
  ]

  /// Failures that have no error type of their own.
  private static let failures: [Failure] = [
    .noSecret("https://h", nil, [group]), .noCredential(at: page),
    .noCredential(of: "x", at: page, group), .severalCredentials([ada, bob], at: page),
    .severalSecrets("h", [eve, eve], command: "token", group: nil), .unknownHelper("x"),
    .unknownHelper("git"), .placeNotStorable(page), .unknownHelperOption("-x", "git"),
    .hostNotTaken("docker"), .subscription, .noHome, .missingProgram("git"),
    .refusedByProgram("git", "no"), .unreadableConfiguration(path), .takenConfiguration(path, "x"),
    .foreignProgram(path), .foreignProgram("gh", at: path), .foreignConfiguration(path, ["a"]),
    .missingStore("pass", package: "pass"), .noStore(path), .badStore(path, "empty"),
    .storeFailed("pass", []), .storeKept("a b", 1, []), .storeRefuses("The store takes no tokens."),
    .badRemote("x"),
    .badHostPattern("x"), .badRuleText("--host"), .ruleWithoutCondition, .unknownAuditFile(path),
    .noDesktop, .noClipboardProgram("xclip"), .clipboardFailed("xclip"), .clipboardUnanswered,
    .clipboardNotCleared("xclip"), .noPortal(ada, provider: nil), .browserNotOpened(page),
    .notNotified(.noBus), Failure(keyring: .noBus), Failure(keyring: .noService),
    Failure(VaultError.store(.notAGroupFile(path: path), group: group) as any Error),
    Failure(outage: .throttled(untilEpochSeconds: 1, nil), storedTokenEnds: nil),
    Failure(outage: .transport(.refused(host: "h")), storedTokenEnds: UIFixtures.now),
  ]
}
