import TokenVaultCrypto
import TokenVaultModel

extension Timestamp {
  /// The `exp` claim of a JSON Web Token (RFC 7519 section 4.1.4); nil for any other text.
  init?(endOfWebToken token: String) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, token.hasPrefix("eyJ"), let payload = Base64URL.decode(String(parts[1]))
    else { return nil }
    // absent is an answer: the text only looks like a token.
    do {
      guard case .number(let text)? = try JSONValue(parsing: payload)["exp"],
        let seconds = Int64(text)
      else { return nil }
      self.init(epochSeconds: seconds)
    } catch { return nil }
  }

  /// A time as 2027-01-31T12:00:00Z, with or without a fraction of a second (RFC 3339).
  init?(internet text: String) {
    let numbers = text.prefix(19).split { "-T: ".contains($0) }.map { Int64($0) ?? -1 }
    let end = text.dropFirst(19)
    guard text.utf8.count >= 20, numbers.count == 6, numbers.allSatisfy({ $0 >= 0 }),
      ["Z", "UTC"].contains(where: { end.hasSuffix($0) }) || end.hasSuffix("+00:00"),
      (1...12).contains(numbers[1]), (1...31).contains(numbers[2])
    else { return nil }
    // The days since 1970 in the Gregorian calendar, whose years begin in March here.
    let year = numbers[0] - (numbers[1] <= 2 ? 1 : 0)
    let month = (numbers[1] + 9) % 12
    let days =
      365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + numbers[2] - 719_469
    self.init(
      epochSeconds: days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5])
  }

  /// A time in JSON, as seconds since 1970, as a number or in a text.
  init?(_ text: String?) {
    guard let text else { return nil }
    if let seconds = Int64(text), seconds > 0 {
      self.init(epochSeconds: seconds)
    } else {
      self.init(internet: text)
    }
  }
}
