import TokenVault

let vault = Vault(try .process(group: "dev.tokenvault.shared"))
try await vault.setSecret(Redacted(text: readLine() ?? ""), for: "git.example.com", username: "ada")
let password = try await vault.secret(for: "git.example.com", username: "ada").revealText()
