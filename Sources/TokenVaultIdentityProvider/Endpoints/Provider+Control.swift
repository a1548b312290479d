/// The requests with which tests and demos control the provider.
extension Provider {
  mutating func control(_ request: Request) -> Reply {
    // A web page can reach this port. Its requests have an Origin header; those of tests do not.
    guard request.headers["origin"] == nil else { return .json(["error": "foreign"], status: 403) }
    let body: JSON
    do {
      body = request.body.isEmpty ? [:] : try JSON(parsing: request.body)
    } catch {
      return .json(["error": "bad_json"], status: 400)
    }
    let name = request.segments.dropFirst().joined(separator: "/")
    if request.method == "GET" { return report(name) }
    return change(name, body, request.query)
  }

  private func report(_ name: String) -> Reply {
    switch name {
    case "log": .json(.array(log))
    case "counters":
      .json(.object(counters.mapValues { .integer($0) }))
    case "sessions":
      .json(.array(sessions.values.map { .texts($0.keys.sorted()) }))
    case "devices": .json(.texts(devices.keys.filter { pendingDevice($0) != nil }.sorted()))
    case "faults": .json(.array(faults.map(\.plan)))
    case "config": .json(configuration.settings)
    case "users": .json(.texts(configuration.users.map(\.username)))
    default: .notFound
    }
  }

  private mutating func change(_ name: String, _ body: JSON, _ query: FormFields) -> Reply {
    let username = body["username"]?.text ?? query["username"] ?? ""
    switch name {
    case "fault":
      guard let fault = Fault(body) else { return .json(["error": "bad_fault"], status: 400) }
      faults.append(fault)
    case "faults/clear": faults = []
    case "clock":
      guard let advance = body["advance"]?.number ?? query["advance"].flatMap(Double.init),
        advance.isFinite
      else {
        return .json(["error": "bad_clock"], status: 400)
      }
      clockOffset += advance
    case "config":
      do {
        try configuration.change(body)
      } catch {
        return .json(["error": "bad_config", "member": .string(error.member)], status: 400)
      }
    case "rotate-keys": return rotateKeys(keepingOld: query["keep"] != "false")
    case "device/approve", "device/deny":
      let userCode = body["user_code"]?.text ?? query["user_code"] ?? ""
      guard let device = pendingDevice(userCode) else {
        return .json(["error": "no_such_code"], status: 404)
      }
      guard name == "device/approve" else {
        devices[userCode]?.answer = .denied
        break
      }
      guard let user = user(username), device.realm.admits(user) else {
        return .json(["error": "no_such_user"], status: 404)
      }
      devices[userCode]?.answer = .approved(username: user.username)
    case "revoke-user":
      // As if an administrator revoked all sessions of a user.
      for index in grants.indices where grants[index].username == username { revokeGrant(index) }
      for id in sessions.keys { sessions[id]?[username] = nil }
    case "remove-user":
      configuration.users.removeAll { $0.username == username }
    case "reset":
      (log, counters, faults, flows, sessions) = ([], [:], [], [:], [:])
      (consents, codes, devices) = ([:], [:], [:])
      for index in grants.indices { grants[index].isRevoked = true }
    default: return .notFound
    }
    return .json(["ok": true, "now": .number(now)])
  }

  private mutating func rotateKeys(keepingOld: Bool) -> Reply {
    do {
      _ = try signingPair()
      if !keepingOld {
        for index in keys.indices { keys[index].isPublished = false }
      }
      keys.append(try SigningPair())
      return .json(["ok": true, "kid": .string(keys.last?.id ?? "")])
    } catch {
      return .json(["error": "server_error"], status: 500)
    }
  }
}
