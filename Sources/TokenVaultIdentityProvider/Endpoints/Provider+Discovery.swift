/// Metadata (OpenID Connect Discovery 1.0, RFC 8414) and the JWK set (RFC 7517).
extension Provider {
  func address(_ endpoint: Endpoint, _ realm: Realm) -> String {
    let name = endpoint.rawValue
    if realm.isPlain {
      return "\(base)\(realm.path)/\(endpoint == .devicecode ? "device" : name)"
    }
    return "\(base)\(realm.path)/"
      + (endpoint == .keys ? "discovery/v2.0/keys" : "oauth2/v2.0/\(name)")
  }

  func discovery(_ realm: Realm) -> JSON {
    var document: JSON = [
      "issuer": .string(realm.issuer(base: base, for: nil)),
      "authorization_endpoint": .string(address(.authorize, realm)),
      "token_endpoint": .string(address(.token, realm)),
      "jwks_uri": .string(address(.keys, realm)),
      "end_session_endpoint": .string(address(.logout, realm)),
      "response_types_supported": ["code"], "response_modes_supported": ["query"],
      "subject_types_supported": ["pairwise"],
      "id_token_signing_alg_values_supported": ["RS256"],
      "token_endpoint_auth_methods_supported": ["none"],
      "code_challenge_methods_supported": ["S256"],
      "scopes_supported": ["openid", "profile", "email", "offline_access"],
      "claims_supported": ["sub", "iss", "aud", "exp", "iat", "nonce", "name", "email"],
      "request_uri_parameter_supported": false,
      "grant_types_supported": [
        "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
      ],
    ]
    if configuration.isOn("announcesPrompts") {
      document["prompt_values_supported"] = configuration.settings["prompts"]
    }
    if !configuration.text("accountPage").isEmpty {
      document["account_management_uri"] = .string(configuration.text("accountPage"))
    }
    if realm.policy == nil {
      document["device_authorization_endpoint"] = .string(address(.devicecode, realm))
    }
    if configuration.isOn("revocation"), !realm.isExternal {
      document["revocation_endpoint"] = .string(address(.revoke, realm))
    }
    if !configuration.text("resourceServer").isEmpty {
      document["introspection_endpoint"] = .string(address(.introspect, realm))
    }
    if configuration.isOn("issParameter"), realm.hasOneIssuer {
      document["authorization_response_iss_parameter_supported"] = true
    }
    if realm.isPlain { document["userinfo_endpoint"] = .string(address(.userinfo, realm)) }
    if realm.isEntra || realm.isExternal { document["tenant_region_scope"] = .null }
    return document
  }

  /// The answer from which MSAL learns whether a host belongs to a known cloud.
  func instance(_ realm: Realm) -> JSON {
    let host = base.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    return [
      "tenant_discovery_endpoint": .string(
        "\(base)\(realm.path)/v2.0/.well-known/openid-configuration"),
      "api-version": "1.1",
      "metadata": [
        [
          "preferred_network": .string(host), "preferred_cache": .string(host),
          "aliases": [.string(host)],
        ]
      ],
    ]
  }

  mutating func publicKeys() throws(Failure) -> JSON {
    _ = try signingPair()
    return [
      "keys": .array(
        keys.filter(\.isPublished).map { pair in
          [
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(pair.id),
            "n": .string(pair.modulus), "e": .string(pair.exponent),
          ]
        })
    ]
  }
}
