extension PlaintextFormat {
  /// The format of a file in a directory of dotfiles, by its name and that of its directory; nil for
  /// any other file. A leading dot may be missing, or written `dot_` as chezmoi does, and a copy that
  /// an editor or a person made is known by its ending.
  package init?(fileName: String, in directory: String) {
    let name = Self.plain(Self.original(of: fileName) ?? fileName)
    let parent = Self.plain(directory)
    switch (name, parent) {
    case ("msal_token_cache.json", _), ("msal_http_cache.json", _): self = .msalCache
    case ("service_principal_entries.json", _): self = .azurePrincipals
    case ("accesstokens.json", "azure"): self = .azureFormerCache
    case ("git-credentials", _), ("credentials", "git"): self = .gitCredentials
    case ("netrc", _), ("_netrc", _): self = .netrc
    case ("hosts.yml", "gh"): self = .githubHosts
    case ("config.yml", "glab-cli"): self = .gitlabConfiguration
    case ("config.json", "docker"), ("auth.json", "containers"), ("dockerconfigjson", _),
      ("dockercfg", _):
      self = .docker
    case ("npmrc", _): self = .npm
    case ("config", "kube"), ("kubeconfig", _), ("kubeconfig.yaml", _), ("kubeconfig.yml", _):
      self = .kubeconfig
    case ("credentials.db", "gcloud"), ("access_tokens.db", "gcloud"): self = .googleDatabase
    case ("application_default_credentials.json", _), ("adc.json", _): self = .googleCredentials
    case ("credentials", "aws"), ("config", "aws"): self = .aws
    case ("credentials.toml", "cargo"), ("credentials", "cargo"),
      ("config.toml", "cargo"), ("config", "cargo"):
      self = .cargo
    case ("pip.conf", _): self = .pip
    case ("auth.toml", "pypoetry"): self = .poetry
    case ("pypirc", _): self = .pypirc
    case ("rclone.conf", _): self = .rclone
    case ("credentials.tfrc.json", _): self = .terraformTokens
    case ("terraformrc", _): self = .terraformConfiguration
    case (_, "terraform.d") where name.hasSuffix(".tfrc"): self = .terraformConfiguration
    case (_, "terraform.d") where name.hasSuffix(".tfrc.json"): self = .terraformTokens
    default: return nil
    }
  }

  /// The ending of the file that a removal writes. If it is interrupted, the former file may be left
  /// behind under this name.
  package static let draftEnding = ".tokenvault-new"
  /// The endings of copies that editors, patch programs, people and an interrupted removal make.
  package static let copyEndings = [
    "~", ".bak", ".orig", ".old", ".save", ".backup", draftEnding,
  ]

  /// The name of the file of which this one is a copy; nil if it is none.
  package static func original(of name: String) -> String? {
    for ending in copyEndings where name.hasSuffix(ending) && name.count > ending.count {
      return String(name.dropLast(ending.count))
    }
    return nil
  }

  private static func plain(_ name: String) -> String {
    var name = name[...]
    if name.hasPrefix("private_") { name = name.dropFirst("private_".count) }
    if name.hasPrefix("dot_") { name = name.dropFirst("dot_".count) }
    if name.hasPrefix(".") { name = name.dropFirst() }
    return name.lowercased()
  }
}
