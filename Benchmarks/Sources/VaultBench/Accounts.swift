import Glibc

/// Writes MSAL caches of invented accounts for `tokenvault import`.
enum Accounts {
  /// The number of accounts in one file: a cache with all 100,000 exceeds the limit of an import.
  static let perFile = 10_000

  static func write(_ range: Range<Int>, to path: String) {
    let tokens = Int(time(nil))
    var text = "{\"Account\":{"
    text += range.map { number in
      """
      "a\(number)":{"home_account_id":"uid\(number).tenant","environment":"login.windows.net",\
      "realm":"tenant","local_account_id":"uid\(number)","username":"user\(number)@example.com",\
      "authority_type":"MSSTS"}
      """
    }.joined(separator: ",")
    text += "},\"AccessToken\":{"
    let secret = String(repeating: "s", count: 2048)
    text += range.map { number in
      """
      "t\(number)":{"credential_type":"AccessToken","home_account_id":"uid\(number).tenant",\
      "environment":"login.windows.net","client_id":"bench","realm":"tenant",\
      "target":"User.Read","cached_at":"\(tokens)","expires_on":"\(tokens + 86400)",\
      "extended_expires_on":"\(tokens + 86400)",\
      "secret":"\(secret)"}
      """
    }.joined(separator: ",")
    text += "}}"
    let file = fopen(path, "w")
    fputs(text, file)
    fclose(file)
  }

  /// Imports accounts into a group that has `present` until it has `count`.
  /// - Returns: The seconds that the imports took.
  @discardableResult
  static func fill(
    _ program: String, from present: Int, to count: Int, in directory: String
  ) throws -> Double {
    var start = present
    var sample = Sample()
    while start < count {
      let end = min(count, start + perFile)
      let path = directory + "/cache.json"
      write(start..<end, to: path)
      try sample.add { try Command(program, "import", path)() }
      unlink(path)
      start = end
    }
    return sample.seconds.reduce(0, +)
  }
}
