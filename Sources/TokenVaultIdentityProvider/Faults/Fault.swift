import Foundation
import TokenVaultSignIn
import TokenVaultModel

/// Something that goes wrong with the next requests to an endpoint.
struct Fault {
  var endpoint: String
  var grant: String?
  var left: Int
  let plan: JSONValue

  init?(_ plan: JSONValue) {
    let known = Self.members.isSuperset(of: plan.members?.map(\.name) ?? ["?"])
    guard known, Reply.Ending(rawValue: plan["ending"]?.text ?? "whole") != nil else { return nil }
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

  /// The answer in place of the provider's own; nil where the request is processed first.
  func instead(realm: Realm?, request: Request, now: Double) -> Reply? {
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

  /// What is done to an answer, whoever made it.
  func alter(_ reply: inout Reply) {
    if let seconds = plan["retryAfter"] {
      // A number of seconds or a date (RFC 9110 section 10.2.3), as it was given.
      let text = seconds.text ?? String(decoding: seconds.bytes, as: UTF8.self)
      reply.headers.append(("Retry-After", text))
    }
    for header in plan["headers"]?.members ?? [] {
      reply.headers.removeAll { $0.0.lowercased() == header.name.lowercased() }
      reply.headers.append((header.name, header.value.text ?? ""))
    }
    if plan["set"] != nil || plan["remove"] != nil { rewrite(&reply.body) }
    reply.delay = plan["delayAfter"]?.number ?? 0
    reply.ending = Reply.Ending(rawValue: plan["ending"]?.text ?? "whole") ?? .whole
  }
}

extension Fault {
  /// Changes members of a JSON answer; a page has none.
  private func rewrite(_ bytes: inout [UInt8]) {
    do {
      var body = try JSONValue(parsing: bytes)
      for member in plan["set"]?.members ?? [] { body.set(member.name, member.value) }
      for name in plan["remove"]?.texts ?? [] { body.set(name, nil) }
      bytes = body.bytes
    } catch {
      return
    }
  }
}

extension Provider {
  private func matching(_ endpoint: Endpoint, _ grant: String?) -> Int? {
    faults.firstIndex {
      $0.endpoint == endpoint.rawValue && ($0.grant == nil || $0.grant == grant)
    }
  }

  mutating func takeFault(_ endpoint: Endpoint, grant: String?) -> Fault? {
    guard let index = matching(endpoint, grant) else { return nil }
    let fault = faults[index]
    faults[index].left -= 1
    if faults[index].left <= 0 { faults.remove(at: index) }
    count("faults")
    return fault
  }

  /// Milliseconds that the next request waits before it is looked at.
  func delayBefore(_ request: Request) -> Double {
    let endpoint = configuration.route(request.segments).endpoint
    return matching(endpoint, request.form?["grant_type"]).map { faults[$0].delayBefore } ?? 0
  }
}
