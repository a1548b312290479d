import Foundation
import Testing
import TokenVaultCredentialHelpers
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

extension CredentialOutcome {
  /// The outcome that the lines of a transcript describe.
  init(testLines lines: [String]) throws {
    switch lines.first {
    case "found": self = .found(try FoundCredential(testLines: Array(lines.dropFirst())))
    case "listed":
      self = .listed(
        lines.dropFirst().map { $0.split(separator: "=") }
          .map { ListedCredential(address: String($0[0]), username: String($0[1])) })
    case "done": self = .done
    case "not found": self = .notFound
    case "failed":
      let message = try #require(lines.first { $0.hasPrefix("message=") })
      self = .failed(
        CredentialFailure(
          String(message.dropFirst("message=".count)),
          needsSignIn: lines.contains("needs-sign-in")))
    default: throw UnknownLine(line: lines.first ?? "")
    }
  }

  /// A line that a transcript cannot have.
  struct UnknownLine: Error { let line: String }
}

extension FoundCredential {
  fileprivate init(testLines lines: [String]) throws {
    self.init(username: "", secret: [])
    for line in lines {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count == 2 ? String(parts[1]) : ""
      switch parts[0] {
      case "username": username = value
      case "secret": secret = Redacted(text: try Self.unquoted(value))
      case "expires": expiresOn = Timestamp(epochSeconds: try #require(Int64(value)))
      case "refresh": refreshToken = Redacted(text: value)
      case "id-token": idToken = Redacted(text: value)
      case "tenant": tenantID = value
      case "address": address = HTTPURL(value)
      case "bearer": isBearer = true
      case "access-token": isAccessToken = true
      default: throw CredentialOutcome.UnknownLine(line: line)
      }
    }
  }

  /// A value with line feeds is a JSON string.
  private static func unquoted(_ value: String) throws -> String {
    guard value.hasPrefix("\"") else { return value }
    return try JSONDecoder().decode(String.self, from: Data(value.utf8))
  }
}
