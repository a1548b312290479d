/// The parsers that scripts/fuzz attacks. Each harness has a directory of inputs with its name in
/// Tests/Fuzzing/Corpus.
///
/// Besides not crashing, a harness must satisfy its preconditions, whatever the input is.
enum Harness: String, CaseIterable {
  /// The bytes of a group file.
  case group
  /// Changes of single rows of a group file, by a program that does not have the key.
  case rows
  /// Contents of a group that were sealed with the right key.
  case sealed
  /// The decoders of what a group file contains.
  case encodings
  /// The messages of the session bus and the Secret Service.
  case bus
  /// Manifests, `config.json` and account rules.
  case manifest
  /// MSAL caches and Azure CLI's profile.
  case cache
  /// Files in which other tools leave tokens.
  case plaintext
  /// JSON, and changes of single members of it.
  case json
  /// Calls of credential helpers.
  case helper
  /// Requests to the redirect listener.
  case redirect
  /// Answers with tokens and errors.
  case token
  /// Provider metadata, keys, user answers, provider files and addresses.
  case discovery

  /// Parses an input.
  var read: ([UInt8]) -> Void {
    switch self {
    case .group: GroupFiles.read
    case .rows: RowChanges.read
    case .sealed: SealedRows.read
    case .encodings: Encodings.read
    case .bus: BusConversations.read
    case .manifest: UserFiles.read
    case .cache: Caches.read
    case .plaintext: PlaintextFiles.read
    case .json: JSONTexts.read
    case .helper: HelperCalls.read
    case .redirect: SignInAnswers.redirects
    case .token: SignInAnswers.tokens
    case .discovery: SignInAnswers.discovery
    }
  }

  /// The harness that the first argument of this program names.
  static var chosen: Harness? { CommandLine.arguments.dropFirst().first.flatMap(Self.init) }

  static func names() -> String { allCases.map(\.rawValue).joined(separator: "|") }
}
