import TokenVaultModel

extension TenantProfile {
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("tenantId", tenantID)
      writer.field("identifier", identifier)
      writer.field("isHomeTenantProfile", isHomeTenantProfile)
      writer.key("claims")
      writer.raw(shownClaims)
    }
  }

  /// The claims are bytes from the issuer. They are parsed and serialised again, so that no line
  /// end, control character or invalid JSON of the issuer's choice reaches a terminal.
  private var shownClaims: [UInt8] {
    let none = Array("{}".utf8)
    guard !claimsJSON.isEmpty else { return none }
    do { return try JSONValue(parsing: claimsJSON).bytes } catch { return none }
  }
}
