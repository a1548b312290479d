import Glibc
import TokenVault
import TokenVaultCrypto
import TokenVaultSystem

/// The password store of `pass`. The program itself decrypts, encrypts and removes the entries, so
/// that its keys, hooks and history stay its own.
struct PassStore: CredentialStore {
  private let directory: String
  /// Only entries whose names begin with it; empty for all.
  private let prefix: String
  private let environment: [String: String]

  init(_ invocation: Invocation, prefix: String) throws {
    var environment = Invocation.wholeEnvironment()
    let named = environment["PASSWORD_STORE_DIR"] ?? ""
    guard !named.isEmpty || invocation.environment["HOME"] != nil else { throw CommandError.noHome }
    directory =
      named.isEmpty ? "\(invocation.environment["HOME"] ?? "")/.password-store" : named
    if !invocation.options.mayAsk {
      let options = environment["PASSWORD_STORE_GPG_OPTS"].map { $0 + " " } ?? ""
      environment["PASSWORD_STORE_GPG_OPTS"] = options + "--batch --pinentry-mode=error"
    } else if environment["GPG_TTY"] == nil, let terminal = Self.terminal {
      // The agent asks for the passphrase there.
      environment["GPG_TTY"] = terminal
    }
    self.environment = environment
    self.prefix = prefix.split(separator: "/").joined(separator: "/")
  }

  private static var terminal: String? {
    for descriptor in Int32(0)...2 {
      if let name = unsafe ttyname(descriptor) { return unsafe String(cString: name) }
    }
    return nil
  }

  // MARK: Reading

  func items() throws -> [StoreItem] {
    guard InputFile.exists(directory + "/.gpg-id") else {
      throw Failure.noStore(directory + "/.gpg-id", next: "pass init GPG-ID")
    }
    return try names(below: "").filter(isWanted).map { name in
      let result = try run(["show", "--", name])
      guard result.status == 0 else {
        return StoreItem(
          name: name,
          content: .unusable("pass cannot decrypt it: \(Failure.lastLine(result.errors))"),
          place: .fixed("it was not read"))
      }
      let entry = PassEntry(name: name, text: result.output)
      return StoreItem(
        name: name, content: entry.content, place: .pass(name, Redacted(result.output)),
        rest: entry.rest)
    }
  }

  private func isWanted(_ name: String) -> Bool {
    prefix.isEmpty || name == prefix || name.hasPrefix(prefix + "/")
  }

  /// The names of the entries in a directory of the store and below it, in order.
  private func names(below place: String) throws -> [String] {
    let path = place.isEmpty ? directory : "\(directory)/\(place)"
    guard let stream = unsafe opendir(path) else {
      throw CommandError.input(path: path, errno: errno)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let file = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      // Such as .git and .extensions.
      guard !file.hasPrefix(".") else { continue }
      let name = place.isEmpty ? file : "\(place)/\(file)"
      if file.hasSuffix(".gpg") {
        names.append(String(name.dropLast(4)))
      } else {
        var status = stat()
        guard unsafe stat("\(directory)/\(name)", &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR { names += try self.names(below: name) }
      }
    }
    return names.sorted()
  }

  private func run(
    _ arguments: [String], input: ChildProgram.Input = .empty
  ) throws -> ChildProgram.Result {
    let result = try ChildProgram.run(
      ["pass"] + arguments, environment: environment, input: input)
    guard let result else { throw Failure.missingStore("pass", package: "pass") }
    return result
  }

  private func text(of name: String) throws -> [UInt8]? {
    guard InputFile.exists("\(directory)/\(name).gpg") else { return nil }
    let result = try run(["show", "--", name])
    guard result.status == 0 else { throw Failure.storeFailed("pass", result.errors) }
    return result.output
  }

  // MARK: Changing

  func remove(_ place: StoreItem.Place) throws -> Bool {
    guard case .pass(let name, let former) = place, try text(of: name) == former.reveal() else {
      return false
    }
    let result = try run(["rm", "--force", "--", name])
    return result.status == 0 && !InputFile.exists("\(directory)/\(name).gpg")
  }

  /// Writes an entry as the user of pass-git-helper and browserpass has it: `HOST/USER`, with the
  /// password, the user name and the address in its lines.
  func write(_ password: StoredPassword, replacing: Bool) throws -> StoreWriting {
    let secret = password.secret.reveal()
    guard !secret.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      return .refused("it contains a control character")
    }
    let parts = PlaceParts(password.service)
    guard !password.username.contains("/"), !password.username.hasPrefix(".") else {
      return .refused("its user name cannot be the name of an entry")
    }
    let place = [prefix, password.service.host, parts.path, password.username]
    let name = place.filter { !$0.isEmpty }.joined(separator: "/")
    guard !name.split(separator: "/").contains(where: { $0 == ".." || $0 == "." }) else {
      return .refused("its address cannot be the name of an entry")
    }
    let former = try text(of: name)
    if let former {
      if PassEntry(name: name, text: former).isPassword(secret) { return .unchanged }
      guard replacing else { return .refused(StoreWriting.taken) }
    }
    let text =
      secret + Array("\nlogin: \(password.username)\nurl: \(password.service)\n".utf8)
    let result = try run(["insert", "--multiline", "--force", "--", name], input: .bytes(text))
    guard result.status == 0 else {
      return .refused("pass failed: \(Failure.lastLine(result.errors))")
    }
    guard try self.text(of: name) == text else { return .refused("pass did not keep it") }
    return .written
  }
}
