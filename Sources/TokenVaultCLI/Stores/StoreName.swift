import ArgumentParser

/// The stores of other programs, by the name that `--from` and `--to` take.
enum StoreName: String, CaseIterable, ExpressibleByArgument {
  /// The items of git-credential-libsecret.
  case git
  /// Those of Git Credential Manager.
  case gcm
  case gh
  /// Token caches that libraries of MSAL keep in the Secret Service.
  case msal
  case pass
  case keepassxc
  case oidcAgent = "oidc-agent"

  /// The tool that a secret is remembered to come from. Its helper then treats the secret as its own.
  var tool: String { self == .gcm ? "git" : rawValue }

  /// The name in messages.
  var title: String {
    switch self {
    case .git: "git-credential-libsecret"
    case .gcm: "Git Credential Manager"
    case .gh: "gh"
    case .msal: "the Secret Service"
    case .pass: "pass"
    case .keepassxc: "KeePassXC"
    case .oidcAgent: "oidc-agent"
    }
  }
}
