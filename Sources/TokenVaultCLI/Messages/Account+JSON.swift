import TokenVaultModel
import TokenVaultSignIn

extension Account {
  /// The account as listing commands print it; the keys are stable.
  /// - Parameter signedInAgain: for the result of a sign-in, whether the group had the account.
  func write(to writer: inout JSONWriter, signedInAgain: Bool? = nil) {
    writer.object { writer in
      writer.field("identifier", identifier)
      writer.field("username", username)
      writer.field("environment", environment)
      writer.field("group", group.description)
      if let alias { writer.field("alias", alias) }
      writer.key("homeAccountId")
      writer.object {
        $0.field("objectId", homeAccountID.objectID)
        $0.field("tenantId", homeAccountID.tenantID)
      }
      writer.key("tenantProfiles")
      writer.array(tenantProfiles) { $1.write(to: &$0) }
      writer.field("clientIds", clientIDs)
      writer.field("current", isCurrent)
      writer.field("signedIn", isSignedIn)
      writer.field("authorityType", authorityType.description)
      if !issuer.isEmpty { writer.field("issuer", issuer) }
      // A token that does not expire is said to be stored by a null.
      if accessTokenExpiresOn?.isNever == true {
        writer.key("accessTokenExpiresOn")
        writer.null()
      } else if let accessTokenExpiresOn {
        writer.field("accessTokenExpiresOn", accessTokenExpiresOn.iso8601)
      }
      writer.field("refreshTokenStored", isRefreshTokenStored)
      if let signedInAgain { writer.field("signedInAgain", signedInAgain) }
    }
  }
}
