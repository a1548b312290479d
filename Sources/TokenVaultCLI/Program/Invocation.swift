import Glibc
import TokenVaultSystem
package import TokenVault
package import TokenVaultModel
package import TokenVaultSignIn

/// The process a command runs in. Environment, working directory and standard streams are read
/// here and nowhere else.
package struct Invocation: Sendable {
  /// The variables that tokenvault uses and that are set and not empty, by name.
  package var environment: [String: String]
  /// The working directory, symlinks resolved; nil when it is gone.
  package var workingDirectory: String?
  package var options = Options()
  let typedPassphrase = TypedPassphrase()

  /// The values of the global options.
  package struct Options: Sendable {
    package var group: String?
    package var account: String?
    /// Whether naming the account overrules the rules that forbid it.
    package var overrulesDenials = true
    /// The URL or host of a service, whose secret is the account.
    package var service: String?
    package var vaultDirectory: String?
    /// The address that a credential is for; nil if the command has none. Rules are compared with it, and
    /// with the next two.
    package var address: HTTPURL?
    /// The resources that a token is for.
    package var audiences: [String] = []
    /// Whether a scope of the token names no resource.
    package var hasBareScopes = false
    /// The tenant that a token is requested for.
    package var tenant: String?
    package var isJSON = false
    package var mayAsk = true
    package var isVerbose = false
    /// Whether notes and progress are left out.
    package var isQuiet = false
    package var passphraseDescriptor: Int32?
    /// Whether a new passphrase may have fewer than 8 characters.
    package var acceptsWeakPassphrase = false
    /// Whether the command takes `--custody`.
    package var takesCustody = false
    /// Whether the key is to be put into the keyring.
    package var wantsKeyring = false
    /// Whether the command only says what is wrong.
    package var isDiagnosis = false
    /// The words of the command, as in `group backup`.
    package var command = ""

    package init() {}

    /// Compares rules with the resources and the tenant of a request.
    mutating func seek(_ request: TokenRequest) {
      var situation = Situation()
      situation.take(scopes: request.scopes, resource: request.resource)
      (audiences, hasBareScopes) = (situation.audiences, situation.hasBareScopes)
      tenant = request.tenantID
    }
  }

  /// This process.
  package static func ofProcess(options: Options = Options()) -> Invocation {
    let surroundings = Surroundings.ofProcess()
    return Invocation(
      environment: surroundings.environment, workingDirectory: surroundings.workingDirectory,
      options: options)
  }

  /// Everything but the options.
  var surroundings: Surroundings {
    Surroundings(environment: environment, workingDirectory: workingDirectory)
  }

  /// The values of those of these variables that are set and not empty, by name.
  static func variables(_ names: [String]) -> [String: String] {
    ProcessEnvironment.variables(names)
  }

  /// The wall clock.
  package var now: Timestamp { Timestamp(epochSeconds: Int64(time(nil))) }

  /// The path made absolute against the working directory.
  package func absolute(_ path: String) throws(CommandError) -> String {
    do { return try surroundings.absolute(path) } catch { throw CommandError(error) }
  }

  /// The path as ``workingDirectory`` spells it: absolute, with symlinks resolved if it exists.
  func resolved(_ path: String) throws(CommandError) -> String {
    let absolute = try absolute(path)
    guard let place = unsafe realpath(absolute, nil) else { return PathText.normal(absolute) }
    defer { unsafe free(place) }
    return unsafe String(cString: place)
  }

  func requireDirectory() throws(CommandError) -> String {
    guard let workingDirectory else { throw .noWorkingDirectory }
    return workingDirectory
  }

  /// The value of a variable that holds a directory; nil for a relative path.
  func directory(in variable: String) -> String? { surroundings.directory(in: variable) }

  /// The path of the user's configuration file, which need not exist.
  package var configurationFile: String? { surroundings.configurationFile }

  /// The configuration of the vault for a group.
  package func configuration(_ group: GroupName) throws(CommandError) -> VaultConfiguration {
    var configuration: VaultConfiguration
    do {
      configuration = try surroundings.configuration(
        group, vaultDirectory: options.vaultDirectory)
    } catch { throw CommandError(error) }
    if !options.mayAsk { configuration.allowsPrompt = false }
    let (options, typed) = (options, typedPassphrase)
    configuration.passphrase = { purpose in
      let passphrase = try PassphraseReading.read(purpose, options)
      if options.passphraseDescriptor == nil, case .open(let group) = purpose { typed.note(group) }
      return passphrase
    }
    return configuration
  }
}
