import TokenVault

let vault = Vault(try .process(group: "dev.tokenvault.shared"))
let token = try await vault.token(TokenRequest(scopes: "User.Read"))
print(token.account.username, "has a token for", token.scopes)
