import TokenVaultCrypto

/// The files of pip, twine and poetry.
enum PythonFiles {
  /// The passwords in the URLs of indexes. The user name stays, because pip asks a keyring for the
  /// password of a user.
  static func pip(_ bytes: [UInt8]) -> [PlaintextSecret] {
    UserInformation.all(bytes).map { line, url in
      // The user name stays, unless it is the token.
      var secret = PlaintextSecret(
        url.isToken ? .token : .password, at: "line \(line)",
        cuts: url.isToken ? [] : [.bytes(url.passwordRange)])
      secret.username = url.username
      // pip asks for the index and for its host.
      secret.service = "\(url.scheme)://\(url.host)"
      secret.hold(url.password)
      return secret
    }
  }

  static func pypirc(_ bytes: [UInt8]) -> [PlaintextSecret] {
    let known = [
      "pypi": "https://upload.pypi.org/legacy", "testpypi": "https://test.pypi.org/legacy",
    ]
    let leaves = INIText.leaves(bytes, .python)
    return leaves.compactMap { leaf in
      guard leaf.name == "password", leaf.value?.isEmpty != true else { return nil }
      var secret = PlaintextSecret(.password, at: leaf.path[0], cuts: [leaf.cut])
      secret.username = leaves.value("username", beside: leaf)
      secret.service = leaves.value("repository", beside: leaf) ?? known[leaf.path[0]]
      secret.hold(leaf.value)
      return secret
    } + UserInformation.all(bytes).map { $0.url.secret(at: "line \($0.line)") }
  }

  /// Poetry asks a keyring for the service `poetry-repository-NAME`.
  static func poetry(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let leaves = try TOMLText.leaves(bytes)
    return leaves.compactMap { leaf in
      guard let value = leaf.value, !value.isEmpty else { return nil }
      var secret: PlaintextSecret
      let repository: String
      if leaf.path.count == 2, leaf.path[0] == "pypi-token" {
        secret = PlaintextSecret(.token, at: leaf.place, cuts: [leaf.cut])
        secret.username = "__token__"
        repository = leaf.path[1]
      } else if leaf.path.count == 3, leaf.path[0] == "http-basic", leaf.name == "password" {
        secret = PlaintextSecret(.password, at: leaf.place, cuts: [leaf.cut])
        secret.username = leaves.value("username", beside: leaf)
        repository = leaf.path[1]
      } else {
        return nil
      }
      let isPlain = repository.utf8.allSatisfy { byte in
        (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte)
          || "-_".utf8.contains(byte)
      }
      secret.service = isPlain ? "https://keyring.invalid/poetry-repository-\(repository)" : nil
      secret.hold(value)
      return secret
    }
  }
}
