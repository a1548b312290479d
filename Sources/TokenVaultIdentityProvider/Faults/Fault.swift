import Foundation

/// A fault that is injected into the next requests to an endpoint; see docs/identity-provider.md.
struct Fault {
  var endpoint: String
  var grant: String?
  var left: Int
  let plan: JSON

  init?(_ plan: JSON) {
    guard let members = plan.members, Self.members.isSuperset(of: members.keys),
      Reply.Ending(rawValue: plan["ending"]?.text ?? "whole") != nil
    else { return nil }
    self.plan = plan
    endpoint = plan["endpoint"]?.text ?? "token"
    grant = plan["grant"]?.text
    left = Int(plan["count"]?.number ?? 1)
  }

  private static let members: Set = [
    "endpoint", "grant", "count", "delayBefore", "delayAfter", "ending", "status", "headers",
    "retryAfter", "error", "suberror", "code", "description", "claims", "raw", "size", "redirect",
    "set", "remove", "idToken",
  ]

  var idToken: String? { plan["idToken"]?.text }
  var delayBefore: Double { plan["delayBefore"]?.number ?? 0 }

  /// The answer that replaces the provider's own; nil if the request is processed.
  func replacement(realm: Realm?, request: Request, now: Double) -> Reply? {
    let status = plan["status"]?.number.map { Int($0) }
    if let error = plan["error"]?.text {
      return Failure(
        error, Int(plan["code"]?.number ?? 50000), plan["description"]?.text ?? "Made to fail.",
        status: status ?? 400, suberror: plan["suberror"]?.text, claims: plan["claims"]?.text
      ).reply(
        realm: realm, correlation: request.headers["client-request-id"],
        now: Date(timeIntervalSince1970: now))
    }
    if let target = plan["redirect"]?.text {
      return Reply(status: status ?? 307, headers: [("Location", target)])
    }
    if let size = plan["size"]?.number.map({ Int($0) }) {
      let padding = [UInt8](repeating: UInt8(ascii: "x"), count: max(0, size - 14))
      return Reply(
        status: status ?? 200, headers: [("Content-Type", "application/json")],
        body: Array("{\"padding\":\"".utf8) + padding + Array("\"}".utf8))
    }
    guard plan["raw"] != nil || status != nil else { return nil }
    return Reply(
      status: status ?? 200, headers: [("Content-Type", "application/json")],
      body: Array((plan["raw"]?.text ?? "").utf8))
  }

  /// Changes an answer, whether the provider's own or a replacement.
  func alter(_ reply: inout Reply) {
    if let seconds = plan["retryAfter"] {
      // A number of seconds or a date (RFC 9110 section 10.2.3).
      let text = seconds.text ?? String(decoding: seconds.bytes, as: UTF8.self)
      reply.headers.append(("Retry-After", text))
    }
    for (name, value) in plan["headers"]?.members ?? [:] {
      reply.headers.removeAll { $0.0.lowercased() == name.lowercased() }
      reply.headers.append((name, value.text ?? ""))
    }
    if plan["set"] != nil || plan["remove"] != nil { rewrite(&reply.body) }
    reply.delay = plan["delayAfter"]?.number ?? 0
    reply.ending = Reply.Ending(rawValue: plan["ending"]?.text ?? "whole") ?? .whole
  }

  /// Sets and removes members of a JSON answer; anything else stays as it is.
  private func rewrite(_ bytes: inout [UInt8]) {
    do {
      var body = try JSON(parsing: bytes)
      for (name, value) in plan["set"]?.members ?? [:] { body[name] = value }
      for name in plan["remove"]?.texts ?? [] { body[name] = nil }
      bytes = body.bytes
    } catch {
      return
    }
  }
}
