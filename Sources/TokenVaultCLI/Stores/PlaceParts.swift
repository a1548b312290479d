import TokenVault

/// The parts of a service's address as git names them.
struct PlaceParts {
  let scheme: String
  /// Without the port.
  let host: String
  let port: String?
  /// Without the slash at its beginning.
  let path: String

  init(_ service: ServiceURL) {
    let text = service.description
    scheme = String(text.prefix { $0 != ":" })
    path = String(
      text.dropFirst(scheme.utf8.count + 3 + service.host.utf8.count).drop { $0 == "/" })
    let colon = service.host.lastIndex(of: ":")
    // An address of IP version 6 has colons, too.
    if let colon, !service.host[colon...].contains("]") {
      host = String(service.host[..<colon])
      port = String(service.host[service.host.index(after: colon)...])
    } else {
      (host, port) = (service.host, nil)
    }
  }
}
