import TokenVault

let app = try PublicClientApplication(
  clientID: "11111111-2222-3333-4444-555555555555",
  authority: "https://login.microsoftonline.com/common", vault: .process())
let signedIn = try await app.acquireToken(interactive: InteractiveRequest(scopes: "User.Read"))
print("signed in:", signedIn.account.username)

var request = try APIRequest("GET", "https://graph.microsoft.com/v1.0/me")
request.scopes = "User.Read"
let answer = try await app.call(request, for: signedIn.account)
print(answer.status, String(decoding: answer.body, as: UTF8.self))
