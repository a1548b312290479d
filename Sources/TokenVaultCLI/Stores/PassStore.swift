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
      // A signature of a commit would ask for the passphrase of its key.
      let first = environment["GIT_CONFIG_COUNT"].flatMap { Int($0) } ?? 0
      for (index, name) in ["commit.gpgsign", "pass.signcommits"].enumerated() {
        environment["GIT_CONFIG_KEY_\(first + index)"] = name
        environment["GIT_CONFIG_VALUE_\(first + index)"] = "false"
      }
      environment["GIT_CONFIG_COUNT"] = String(first + 2)
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
      switch try reading(name) {
      case .text(let text):
        let entry = PassEntry(name: name, text: text)
        return StoreItem(
          name: name, content: entry.content, place: .pass(name, Redacted(text)), rest: entry.rest)
      case .fault(let reason):
        return StoreItem(name: name, content: .unusable(reason), place: .fixed("it was not read"))
      }
    }
  }

  /// The text of an entry, or why it cannot be read.
  private enum Reading {
    case text([UInt8])
    case fault(String)
  }

  /// Reads an entry. An entry that cannot be read is reported, and the others are still read.
  private func reading(_ name: String) throws -> Reading {
    do {
      let result = try run(["show", "--", name])
      guard result.status == 0 else {
        return .fault("pass cannot decrypt it: \(Failure.lastLine(result.errors))")
      }
      return .text(result.output)
    } catch let error as SystemCallError where error.errno == EFBIG {
      return .fault("it is larger than 1 MiB")
    }
  }

  private func isWanted(_ name: String) -> Bool {
    prefix.isEmpty || name == prefix || name.hasPrefix(prefix + "/")
  }

  /// The names of the entries in a directory of the store and below it, in order.
  private func names(below place: String) throws -> [String] {
    let path = place.isEmpty ? directory : "\(directory)/\(place)"
    let files: [String]
    do throws(SystemCallError) { files = try SystemCalls.names(in: path) } catch {
      throw CommandError.input(path: path, errno: error.errno)
    }
    var names: [String] = []
    for file in files {
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

  /// The text of an entry, or nil if it does not exist.
  private func text(of name: String) throws -> Reading? {
    exists(name) ? try reading(name) : nil
  }

  private func exists(_ name: String) -> Bool { InputFile.exists("\(directory)/\(name).gpg") }

  /// Why the commit of an entry failed, if the store is a git repository; pass itself does not report
  /// it in its status.
  private func commitFault(_ name: String, _ result: ChildProgram.Result) throws -> String? {
    guard InputFile.exists(directory + "/.git") else { return nil }
    let words = ["git", "-C", directory, "status", "--porcelain", "--", "\(name).gpg"]
    let environment = self.environment.filter { !["GIT_DIR", "GIT_WORK_TREE"].contains($0.key) }
    let status = try ChildProgram.run(words, environment: environment)
    guard let status, status.status != 0 || !status.output.isEmpty else { return nil }
    return "git did not commit it: \(Failure.lastLine(result.errors))"
  }

  // MARK: Changing

  func remove(_ place: StoreItem.Place) throws -> StoreRemoval {
    guard case .pass(let name, let former) = place, case .text(let text) = try text(of: name),
      ConstantTime.equal(text, former.reveal())
    else { return .changed }
    let result = try run(["rm", "--force", "--", name])
    guard !exists(name) else { throw Failure.storeKept(name, result.status, result.errors) }
    guard result.status == 0 else {
      return .removedWithFault(
        "pass ended with status \(result.status): \(Failure.lastLine(result.errors))")
    }
    return try commitFault(name, result).map { .removedWithFault($0) } ?? .removed
  }

  /// Writes an entry as the user of pass-git-helper and browserpass has it: `HOST/USER`, with the
  /// password, the user name and the address in its lines.
  func write(
    _ password: StoredPassword, replacing: Bool, isRehearsal: Bool
  ) throws -> StoreWriting {
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
    var text =
      secret + Array("\nlogin: \(password.username)\nurl: \(password.service)\n".utf8)
    switch try self.text(of: name) {
    case .none: break
    case .fault(let reason): return .refused("the entry there cannot be read: \(reason)")
    case .text(let former):
      let entry = PassEntry(name: name, text: former)
      guard entry.isPlace(of: password) else {
        return .refused("the entry there, \(name), is for another address or user name")
      }
      if entry.isPassword(secret) { return .unchanged }
      guard replacing else { return .refused(StoreWriting.taken) }
      // Its other lines may be notes, or a one-time password.
      text = entry.text(with: secret)
    }
    if isRehearsal { return .written }
    return try write(text, to: name)
  }

  private func write(_ text: [UInt8], to name: String) throws -> StoreWriting {
    let result = try run(["insert", "--multiline", "--force", "--", name], input: .bytes(text))
    guard case .text(let kept) = try self.text(of: name), ConstantTime.equal(kept, text) else {
      return .refused("pass did not keep it: \(Failure.lastLine(result.errors))")
    }
    guard result.status == 0 else {
      return .misplaced("pass failed: \(Failure.lastLine(result.errors))")
    }
    return try commitFault(name, result).map { .misplaced($0) } ?? .written
  }
}
