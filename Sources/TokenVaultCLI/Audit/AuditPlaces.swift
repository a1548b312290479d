import TokenVaultPlaintext

/// A file that may have secrets.
struct AuditTarget: Hashable {
  let path: String
  let format: PlaintextFormat
  /// The file of which it is a copy.
  var original: String?
}

/// The places where the tools of a user keep their files. A variable that moves a file adds a place:
/// the former file may still be there.
struct AuditPlaces {
  private let home: String
  private let configuration: String
  private let runtime: String?
  private let variables: [String: String]
  private let invocation: Invocation

  private static let variables = [
    "AZURE_CONFIG_DIR", "NETRC", "GH_CONFIG_DIR", "GLAB_CONFIG_DIR", "DOCKER_CONFIG",
    "REGISTRY_AUTH_FILE", "NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "KUBECONFIG",
    "KUBECACHEDIR", "CLOUDSDK_CONFIG", "GOOGLE_APPLICATION_CREDENTIALS",
    "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "CARGO_HOME", "PIP_CONFIG_FILE",
    "POETRY_CONFIG_DIR", "RCLONE_CONFIG", "TF_CLI_CONFIG_FILE",
  ]

  init(_ invocation: Invocation) throws {
    guard let home = invocation.directory(in: "HOME") else { throw Failure.noHome }
    self.home = home
    self.invocation = invocation
    configuration = invocation.directory(in: "XDG_CONFIG_HOME") ?? home + "/.config"
    runtime = invocation.directory(in: "XDG_RUNTIME_DIR")
    variables = Invocation.variables(Self.variables)
  }

  /// The files, with the copies beside them. They need not exist.
  func targets() throws -> [AuditTarget] {
    var seen: Set<String> = []
    return try files().flatMap { format, path in
      let path = try invocation.absolute(path)
      let copies = PlaintextFormat.copyEndings.map {
        AuditTarget(path: path + $0, format: format, original: path)
      }
      return [AuditTarget(path: path, format: format)] + copies
    }.filter { seen.insert($0.path).inserted }
  }

  /// The directories whose files all have one format, or have one by their names.
  func directories() throws -> [(PlaintextFormat?, String)] {
    let kube = [home + "/.kube/cache"] + variable("KUBECACHEDIR")
    let google = [home + "/.config/gcloud"] + variable("CLOUDSDK_CONFIG")
    let all: [(PlaintextFormat?, String)] =
      kube.flatMap { [(.kubeCache, $0 + "/kubelogin"), (.kubeCache, $0 + "/oidc-login")] }
      + [(.awsCache, home + "/.aws/sso/cache"), (.awsCache, home + "/.aws/cli/cache")]
      // Its files `*.tfrc` are known by their names.
      + [(nil, home + "/.terraform.d")]
      + google.map { (.googleCredentials, $0 + "/legacy_credentials") }
    return try all.map { ($0.0, try invocation.absolute($0.1)) }
  }

  private func variable(_ name: String, adding suffix: String = "") -> [String] {
    variables[name].map { [$0 + suffix] } ?? []
  }

  private func files() -> [(PlaintextFormat, String)] {
    let azure = [home + "/.azure"] + variable("AZURE_CONFIG_DIR")
    let google = [home + "/.config/gcloud"] + variable("CLOUDSDK_CONFIG")
    let cargo = [home + "/.cargo"] + variable("CARGO_HOME")
    var all: [(PlaintextFormat, [String])] = [
      (.msalCache, azure.map { $0 + "/msal_token_cache.json" }),
      (.azurePrincipals, azure.map { $0 + "/service_principal_entries.json" }),
      (.azureFormerCache, azure.map { $0 + "/accessTokens.json" }),
      (.gitCredentials, [home + "/.git-credentials", configuration + "/git/credentials"]),
      (.netrc, [home + "/.netrc"] + variable("NETRC")),
      (.githubHosts, [configuration + "/gh/hosts.yml"]),
      (.githubHosts, variable("GH_CONFIG_DIR", adding: "/hosts.yml")),
      (.gitlabConfiguration, [configuration + "/glab-cli/config.yml"]),
      (.gitlabConfiguration, variable("GLAB_CONFIG_DIR", adding: "/config.yml")),
      (.docker, [home + "/.dockercfg"]),
      (.docker, [home + "/.docker/config.json", configuration + "/containers/auth.json"]),
      (.docker, variable("DOCKER_CONFIG", adding: "/config.json")),
      (.docker, variable("REGISTRY_AUTH_FILE")),
      (.docker, runtime.map { [$0 + "/containers/auth.json"] } ?? []),
      (.npm, [home + "/.npmrc"] + variable("NPM_CONFIG_USERCONFIG")),
      (.npm, variable("npm_config_userconfig")),
      (.kubeconfig, [home + "/.kube/config"]),
      (
        .kubeconfig,
        (variables["KUBECONFIG"] ?? "").split(separator: ":").map(String.init)
      ),
      (.googleDatabase, google.flatMap { [$0 + "/credentials.db", $0 + "/access_tokens.db"] }),
      (.googleCredentials, google.map { $0 + "/application_default_credentials.json" }),
      (.googleCredentials, variable("GOOGLE_APPLICATION_CREDENTIALS")),
    ]
    all += [
      (.aws, [home + "/.aws/credentials", home + "/.aws/config"]),
      (.aws, variable("AWS_SHARED_CREDENTIALS_FILE") + variable("AWS_CONFIG_FILE")),
      (.cargo, cargo.flatMap { [$0 + "/credentials.toml", $0 + "/credentials"] }),
      (.cargo, cargo.flatMap { [$0 + "/config.toml", $0 + "/config"] }),
      (.pip, [configuration + "/pip/pip.conf", home + "/.pip/pip.conf", "/etc/pip.conf"]),
      (.pip, variable("PIP_CONFIG_FILE")),
      (.poetry, [configuration + "/pypoetry/auth.toml"]),
      (.poetry, variable("POETRY_CONFIG_DIR", adding: "/auth.toml")),
      (.pypirc, [home + "/.pypirc"]),
      (.rclone, [configuration + "/rclone/rclone.conf", home + "/.rclone.conf"]),
      (.rclone, variable("RCLONE_CONFIG")),
      (.terraformTokens, [home + "/.terraform.d/credentials.tfrc.json"]),
      (.terraformConfiguration, [home + "/.terraformrc"] + variable("TF_CLI_CONFIG_FILE")),
    ]
    return all.flatMap { format, paths in paths.map { (format, $0) } }
  }
}
