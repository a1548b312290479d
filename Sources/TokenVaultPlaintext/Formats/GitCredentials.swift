/// The file of git's helper `store`: one URL on each line.
enum GitCredentials {
  static func secrets(_ bytes: [UInt8]) -> [PlaintextSecret] {
    TextLine.all(bytes).compactMap { line in
      guard let url = UserInformation(bytes[line.content]) else { return nil }
      var secret = PlaintextSecret(
        url.isToken ? .token : .password, at: "line \(line.number)", cuts: [.bytes(line.range)])
      secret.username = url.username
      secret.service = "\(url.scheme)://\(url.host)\(url.path)"
      secret.hold(url.password)
      return secret
    }
  }
}
