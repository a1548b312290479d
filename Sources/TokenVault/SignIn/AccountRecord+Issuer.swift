import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

extension AccountRecord {
  /// The server that issued a refresh token. Records of versions 1 and 2 do not name it: there it is
  /// the authority that signed the token's client in, otherwise the account's host at port 443.
  func issuer(of entry: StoredCredential) -> Issuer {
    if let issuer = entry.issuer { return issuer }
    guard let text = authorities[CaseFolding.key(entry.credential.clientID)] else {
      return .imported(
        environment, idTokens: profiles.compactMap { IDToken(claimsJSON: $0.claimsJSON) },
        named: issuer)
    }
    // absent is an answer: tokens are requested from authorities only, and the text names none.
    do { return Issuer(try Authority(text), name: nil) } catch {
      return .imported(environment, idTokens: [])
    }
  }

  /// Another server than that of the authority, which issued a token of the account; nil for none.
  ///
  /// An account of Microsoft's kinds is identified by its host, and each port of the host may be another
  /// server. The tokens of a genuine server must not be replaced by those of another one: a refresh
  /// token would be lost, no sign-out would revoke it, and an access token would be sent to the other
  /// server to be revoked. All servers of one Microsoft cloud count as one.
  func issuer(otherThan authority: Authority) -> Issuer? {
    guard authority.isMicrosoft else { return nil }
    let server = authority.address.server
    return stored.lazy.filter { [.refreshToken, .accessToken].contains($0.credential.kind) }
      .map(issuer(of:)).first { $0.origin != server }
  }
}

extension AccountRecord {
  /// The issuer of an account of an OpenID Connect provider other than Microsoft; empty if it is not
  /// known, and for all others. Records of versions 1 to 3 do not name it: there it is the issuer of
  /// the stored ID tokens, otherwise the authority that signed the account in.
  var knownIssuer: String {
    guard authorityType == .oidc, issuer.isEmpty else { return issuer }
    var found = Set(profiles.compactMap { IDToken(claimsJSON: $0.claimsJSON)?.issuer })
    if found.isEmpty { found = Set(authorities.values) }
    let issuers = Set(found.map(AccountIdentity.bare))
    return issuers.count == 1 ? issuers.first ?? "" : ""
  }

  /// The identity that the account has, or gets at its next sign-in.
  var knownIdentity: AccountIdentity { identity.with(issuer: knownIssuer) }
}

extension AccountRecord.Issuer {
  /// The issuer that an authority is.
  /// - Parameter name: the issuer in its discovery document; nil if it has not been read.
  init(_ authority: Authority, name: String?) {
    let known = name ?? (authority.kind == .openIDConnect ? authority.description : "")
    self.init(
      origin: authority.address.server,
      name: authority.kind == .entra ? "" : AccountIdentity.bare(known))
  }

  /// The issuer of an imported refresh token: at a Microsoft cloud that cloud, otherwise the issuer
  /// of an ID token that came with it, or the one that its account names, if that is at the host that
  /// the token was stored under. All others are at port 443 of that host.
  static func imported(
    _ environment: String, idTokens: [IDToken], named: String = ""
  ) -> AccountRecord.Issuer {
    guard !CloudEnvironment.isKnownCloud(environment) else {
      return AccountRecord.Issuer(
        origin: "https://" + CloudEnvironment.canonical(environment), name: "")
    }
    let issuers = idTokens.compactMap(\.issuer) + [named]
    for issuer in issuers where HTTPURL(issuer)?.host == environment {
      // absent is an answer: the claim names no authority, and the next one is looked at.
      do { return AccountRecord.Issuer(try Authority(issuer), name: nil) } catch { continue }
    }
    let host = environment.contains(":") ? "[\(environment)]" : environment
    let origin = HTTPURL("https://\(host)")?.server ?? "https://\(host)"
    return AccountRecord.Issuer(origin: origin, name: "")
  }

  /// Whether a token of this issuer may be sent to the authority.
  /// - Parameter name: the issuer in its discovery document; nil if it has not been read.
  func allows(_ authority: Authority, name: String? = nil) -> Bool {
    let other = AccountRecord.Issuer(authority, name: name)
    return origin == other.origin
      && (self.name.isEmpty || other.name.isEmpty || self.name == other.name)
  }
}
