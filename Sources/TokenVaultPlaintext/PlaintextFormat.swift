/// The files of other tools that contain secrets.
package enum PlaintextFormat: String, CaseIterable, Sendable {
  /// The token cache of an MSAL library, such as that of the Azure CLI.
  case msalCache
  case azurePrincipals
  /// The token cache of Azure CLI before version 2.30.
  case azureFormerCache
  case gitCredentials
  case netrc
  case githubHosts
  case gitlabConfiguration
  case docker
  case npm
  case kubeconfig
  case kubeCache
  case googleDatabase
  case googleCredentials
  case aws
  case awsCache
  case cargo
  case pip
  case poetry
  case pypirc
  case rclone
  case terraformTokens
  case terraformConfiguration

  /// The program that the file belongs to.
  package var tool: String {
    switch self {
    case .msalCache, .azurePrincipals, .azureFormerCache: "az"
    case .gitCredentials: "git"
    case .netrc: "netrc"
    case .githubHosts: "gh"
    case .gitlabConfiguration: "glab"
    case .docker: "docker"
    case .npm: "npm"
    case .kubeconfig, .kubeCache: "kubectl"
    case .googleDatabase, .googleCredentials: "gcloud"
    case .aws, .awsCache: "aws"
    case .cargo: "cargo"
    case .pip: "pip"
    case .poetry: "poetry"
    case .pypirc: "twine"
    case .rclone: "rclone"
    case .terraformTokens, .terraformConfiguration: "terraform"
    }
  }

  /// The protocol in which the tool asks the vault for the secret; nil for none.
  package var helper: String? {
    switch self {
    case .gitCredentials, .netrc, .githubHosts, .gitlabConfiguration: "git"
    case .docker: "docker"
    case .npm: "pnpm"
    case .kubeconfig: "kubernetes"
    case .aws: "aws"
    case .cargo: "cargo"
    case .pip, .poetry, .pypirc: "keyring"
    case .terraformTokens, .terraformConfiguration: "terraform"
    case .msalCache, .azurePrincipals, .azureFormerCache: "azure"
    case .kubeCache, .googleDatabase, .googleCredentials, .awsCache, .rclone: nil
    }
  }

  /// How the provider is asked to end such a secret: a command, or the page of the provider.
  package var revocation: String {
    switch self {
    case .msalCache, .azureFormerCache:
      "tokenvault request POST https://graph.microsoft.com/v1.0/me/revokeSignInSessions"
    case .azurePrincipals: "az ad app credential reset --id CLIENT_ID"
    case .gitCredentials, .netrc: "the account settings of the host"
    case .githubHosts: "https://github.com/settings/applications"
    case .gitlabConfiguration: "the page User settings, Access tokens of the host"
    case .docker: "the account settings of the registry"
    case .npm: "npm token revoke ID"
    case .kubeconfig:
      "delete the service account's token, or let the cluster's CA end the certificate"
    case .kubeCache: "the identity provider of the cluster"
    case .googleDatabase: "gcloud auth revoke ACCOUNT"
    case .googleCredentials: "gcloud auth application-default revoke"
    case .aws: "aws iam delete-access-key --access-key-id ID"
    case .awsCache: "aws sso logout"
    case .cargo: "https://crates.io/settings/tokens, or the page of the registry"
    case .pip, .pypirc, .poetry: "the account settings of the index"
    case .rclone: "the account settings of the remote"
    case .terraformTokens, .terraformConfiguration: "the page User settings, Tokens of the host"
    }
  }

  var isText: Bool { self != .googleDatabase }

  /// The names that stand before a secret.
  var words: [String] {
    switch self {
    case .githubHosts: ["oauth_token"]
    case .gitlabConfiguration: ["token", "job_token", "oauth2_refresh_token"]
    case .kubeconfig:
      [
        "token", "client-key-data", "password", "access-token", "refresh-token", "id-token",
        "client-secret",
      ]
    case .cargo: ["token", "secret-key"]
    case .docker: ["auth", "identitytoken", "registrytoken"]
    case .msalCache, .azurePrincipals, .azureFormerCache:
      ["secret", "client_secret", "accessToken"]
    case .poetry: ["password", "pypi"]
    case .terraformTokens, .terraformConfiguration: ["token"]
    case .kubeCache, .googleCredentials, .awsCache:
      [
        "refresh_token", "access_token", "id_token", "private_key", "accessToken",
        "SecretAccessKey",
      ]
    default: ["password", "token", "secret"]
    }
  }

  func secrets(
    in bytes: [UInt8], _ context: PlaintextContext
  ) throws(PlaintextError) -> [PlaintextSecret] {
    switch self {
    case .msalCache: try AzureFiles.cache(bytes)
    case .azurePrincipals: try AzureFiles.principals(bytes)
    case .azureFormerCache: try AzureFiles.formerCache(bytes)
    case .gitCredentials: GitCredentials.secrets(bytes)
    case .netrc: Netrc.secrets(bytes)
    case .githubHosts: try GitHosts.github(bytes)
    case .gitlabConfiguration: try GitHosts.gitlab(bytes)
    case .docker: try DockerConfiguration.secrets(bytes)
    case .npm: NpmConfiguration.secrets(bytes)
    case .kubeconfig: try Kubeconfig.secrets(bytes)
    case .googleDatabase: CacheFiles.database(bytes)
    case .kubeCache, .googleCredentials, .awsCache: try CacheFiles.secrets(bytes)
    case .aws: AWSCredentials.secrets(bytes)
    case .cargo: try CargoCredentials.secrets(bytes, context.registries)
    case .pip: PythonFiles.pip(bytes)
    case .poetry: try PythonFiles.poetry(bytes)
    case .pypirc: PythonFiles.pypirc(bytes)
    case .rclone: RcloneConfiguration.secrets(bytes)
    case .terraformTokens: try TerraformFiles.tokens(bytes)
    case .terraformConfiguration: try TerraformFiles.configuration(bytes)
    }
  }
}
