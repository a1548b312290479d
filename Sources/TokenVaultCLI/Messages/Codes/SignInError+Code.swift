import TokenVaultSignIn

extension SignInError {
  /// The stable name of the error in JSON.
  var code: String {
    switch self {
    case .invalidAuthority: "invalidAuthority"
    case .unsupportedAuthority: "unsupportedAuthority"
    case .invalidRedirectURI: "invalidRedirectURI"
    case .invalidRequest: "invalidRequest"
    case .badDiscovery: "badDiscovery"
    case .notOffered: "notOffered"
    case .redirectUnavailable: "redirectUnavailable"
    case .clientsUnknown: "clientsUnknown"
    case .redirectSchemeNotRegistered: "redirectSchemeNotRegistered"
    case .sessionAlreadyRunning: "sessionAlreadyRunning"
    case .timedOut: "signInTimedOut"
    case .cancelled: "cancelled"
    case .userCancelled: "userCancelled"
    case .stateMismatch: "stateMismatch"
    case .issuerMismatch: "issuerMismatch"
    case .badRedirect: "badRedirect"
    case .passwordResetRequested: "passwordResetRequested"
    case .policyCancelled: "policyCancelled"
    case .transport(let error): error.code
    case .provider: "providerRefused"
    case .adminConsentRequired: "adminConsentRequired"
    case .deviceCodeExpired: "deviceCodeExpired"
    case .badAnswer: "badProviderAnswer"
    case .idToken: "badIDToken"
    case .declinedScopes: "declinedScopes"
    case .cryptography: "cryptography"
    case .issuedElsewhere: "issuedElsewhere"
    case .hostNotAllowed: "hostNotAllowed"
    case .providerNotDescribed: "providerNotDescribed"
    case .mismatchedUser: "mismatchedUser"
    case .browserRefused: "browserRefused"
    case .throttled: "throttled"
    }
  }
}
