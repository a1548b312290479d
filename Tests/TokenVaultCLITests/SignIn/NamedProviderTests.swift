import Foundation
import Testing
import TokenVaultTestSupport

/// `tokenvault sign-in PROVIDER`: what the word means, and what is said if something is missing.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct NamedProviderTests {
  @Test(arguments: [
    ("microsoft", "Microsoft", "https://entra.microsoft.com/", "microsoft"),
    ("github", "GitHub", "https://github.com/settings/applications/new", "github"),
    ("gitlab", "GitLab", "https://gitlab.com/-/user_settings/applications", "gitlab"),
    ("google", "Google", "https://console.cloud.google.com/auth/clients", "google"),
    (
      "forgejo https://git.example.com", "Forgejo at git.example.com",
      "https://git.example.com/user/settings/applications", "forgejo https://git.example.com"
    ),
    (
      "gitlab git.example.com", "GitLab at git.example.com",
      "https://git.example.com/-/user_settings/applications", "gitlab https://git.example.com"
    ),
    (
      "oidc https://id.example.com", "OpenID Connect at id.example.com", "",
      "oidc https://id.example.com"
    ),
  ])
  func aMissingClientIDExplainsItselfInOneMessage(
    words: String, name: String, page: String, next: String
  ) throws {
    let home = try SignInHome()
    let run = try home.run("tokenvault sign-in \(words)")
    #expect(run.status == 64)
    #expect(run.errors.contains("\(name) needs a client id of your own. Nothing was changed."))
    #expect(run.errors.contains(page) || page.isEmpty, "\(run.errors)")
    // The client of Google has a secret, which is in the file.
    let end = words == "google" ? "" : " --client-id ID"
    #expect(run.errors.hasSuffix("\nnext: tokenvault sign-in \(next)\(end)\n"), "\(run.errors)")
    #expect(!run.errors.contains("{url}") && !run.errors.contains("{file}"))
    #expect(run.changes.isEmpty)
    let json = try home.run("tokenvault sign-in \(words) --json")
    #expect(json.errors.contains(#""code":"clientIDNeeded""#) && json.output.isEmpty)
  }

  @Test func withoutAnyArgumentTheProvidersAreNamed() throws {
    let home = try SignInHome()
    let bare = try home.run("tokenvault sign-in")
    #expect(bare.status == 64)
    let next =
      "\nnext: tokenvault sign-in microsoft\n"
      + "other providers: github, gitlab, google, forgejo URL, oidc URL"
    #expect(bare.errors.hasSuffix("\(next)\n"), "\(bare.errors)")
    let token = try home.run("tokenvault token")
    #expect(token.status == 4)
    #expect(token.errors.hasSuffix("\(next)\n"), "\(token.errors)")
    try home.provide("demo", #"{"name": "Demo", "issuer": "https://demo.example"}"#)
    #expect(try home.run("tokenvault token").errors.hasSuffix("\(next), demo\n"))
    let json = try home.run("tokenvault token --json").errors
    #expect(
      json.contains(
        #""next":"tokenvault sign-in microsoft","note":"other providers: github, "#), "\(json)")
    #expect(try home.run("tokenvault list").output.isEmpty)
  }

  @Test func theFirstSignInByNameRemembersTheClient() throws {
    let home = try SignInHome()
    try home.provide("demo", #"{"name": "Demo", "issuer": "\#(home.provider.url)/oidc/demo"}"#)
    let needed = try home.run("tokenvault sign-in demo")
    #expect(needed.status == 64)
    #expect(needed.errors.contains("next: tokenvault sign-in demo --client-id ID"))
    let first = try home.run("tokenvault sign-in demo --client-id $C --browser \"$ADA\"")
    #expect(first.status == 0, "\(first.errors)")
    let second = try home.run("tokenvault sign-in demo --browser \"$GRACE\"")
    #expect(second.status == 0, "\(second.errors)")
    #expect(try home.run("tokenvault sign-out ada && tokenvault sign-out grace").status == 0)
    // The client is not a person, and stays known without accounts.
    let third = try home.run("tokenvault sign-in demo --browser \"$ADA\"")
    #expect(third.status == 0, "\(third.errors)")
    #expect(try home.run("tokenvault export -o - | grep -c tokenvault_providers").status == 0)
    let other = try home.run("tokenvault sign-in demo --group com.example.other")
    #expect(other.status != 0)
  }

  @Test func aWordThatIsBothAnAccountAndAProviderIsTheAccount() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    #expect(try home.run("tokenvault alias ada@contoso.example github").status == 0)
    let again = try home.run("tokenvault sign-in github --browser \"$ADA\"")
    #expect(again.output.hasPrefix("signed in again  ada@contoso.example"), "\(again.errors)")
    #expect(try home.run("tokenvault alias github --remove").status == 0)
    #expect(try home.run("tokenvault sign-in github").errors.contains("GitHub needs a client id"))
    // The part of a name before the @ is no exact match.
    try home.provide("ada", #"{"name": "Ada", "issuer": "https://ada.example"}"#)
    #expect(try home.run("tokenvault sign-in ada").errors.contains("Ada needs a client id"))
    #expect(
      try home.run("tokenvault sign-in --account ada --browser \"$ADA\"").status == 0)
  }

  @Test(arguments: [
    ("sign-in githup", 66, "Did you mean github?"),
    ("sign-in gitlba https://git.example.com", 66, "Did you mean gitlab?"),
    ("sign-in nothing-like-it", 66, "\"nothing-like-it\" is neither a provider nor an account."),
    ("sign-in nothing-like-it", 66, "\nproviders: microsoft, github, gitlab, google, forgejo URL"),
    ("sign-in forgejo", 64, "Give the URL of the forgejo provider."),
    ("sign-in github https://git.example.com", 64, "The provider github takes no URL."),
    (
      "sign-in forgejo http://git.example.com", 64,
      "http://git.example.com is not https. Nothing was stored.\n"
        + "next: tokenvault sign-in forgejo https://git.example.com\n"
    ),
    ("sign-in github --authority https://id.example.com", 64, "cannot be combined"),
    (
      "sign-in microsoft contoso.onmicrosoft.com", 64,
      "sign-in microsoft https://login.microsoftonline.com/contoso.onmicrosoft.com --client-id ID"
    ),
    ("sign-in microsoft https://evil.example", 64, "The authority is not an https URL of a known"),
    ("sign-in GitHub", 64, "GitHub needs a client id"),
  ])
  func aWordThatIsNoProviderSaysSo(words: String, status: Int32, text: String?) throws {
    let home = try SignInHome()
    let run = try home.run("tokenvault \(words)")
    #expect(run.status == status, "\(run.errors)")
    if let text { #expect(run.errors.contains(text), "\(run.errors)") }
    #expect(run.changes.isEmpty)
  }

  @Test(arguments: [
    (
      #"{"name": "X", "issuer": "https://x.example", "clientID": "y"}"#,
      #"unknown field "clientID""#
    ),
    (#"{"name": "X"}"#, #""issuer""#),
    (#"{"issuer": "https://x.example"}"#, #""name""#),
    (#"{"name": "X", "issuer": "http://x.example"}"#, #""issuer""#),
    (#"{"name": "X", "issuer": "https://x.example", "apiHosts": ["*"]}"#, #""apiHosts""#),
    (
      #"{"name": "X", "issuer": "https://x.example", "flow": "magic"}"#,
      #""flow" must be browser or device-code"#
    ),
    (
      #"{"name": "X", "isuer": "https://x.example"}"#,
      #"unknown field "isuer", which is probably "issuer""#
    ),
    (#"{"name": "X", "issuer": "https://x.example", "clientSecret": "s"}"#, #""clientId""#),
    (
      #"{"name": "X", "issuer": "https://x.example", "tokenEndpoint": "http://127.0.0.1/t", "userEndpoint": "https://x.example/u", "userId": "id"}"#,
      #""tokenEndpoint""#
    ),
    (
      #"{"name": "X", "issuer": "https://x.example", "tokenEndpoint": "https://x.example/t"}"#,
      #""userEndpoint""#
    ),
    ("[]", "JSON"), ("{", "JSON"),
  ])
  func aProviderFileThatCannotBeUsedIsNamed(json: String, words: String) throws {
    let home = try SignInHome()
    try home.provide("x", json)
    let run = try home.run("tokenvault sign-in x --client-id c")
    #expect(run.status == 78, "\(run.errors)")
    #expect(run.errors.contains("providers/x.json") && run.errors.contains(words), "\(run.errors)")
  }

  @Test func aProviderFileOfAnotherUserIsRefused() throws {
    let home = try SignInHome()
    try home.provide("x", #"{"name": "X", "issuer": "https://x.example"}"#)
    let run = try home.run(
      "chmod 666 .config/tokenvault/providers/x.json; tokenvault sign-in x --client-id c")
    #expect(run.status == 78)
    // A stored token is served all the same.
    #expect(try home.signIn().status == 0)
    #expect(try home.run("tokenvault token --scope User.Read").status == 0)
  }

  @Test func completionOffersProvidersAndAccounts() throws {
    let home = try SignInHome()
    try home.provide("demo", #"{"name": "Demo", "issuer": "https://demo.example"}"#)
    let run = try home.run(
      "SAP_SHELL=bash tokenvault ---completion sign-in -- positional@0 0 0 tokenvault sign-in ''")
    let words = run.output.split(separator: "\n").map(String.init)
    #expect(
      Array(words.prefix(7)) == [
        "microsoft", "github", "gitlab", "google", "forgejo", "oidc", "demo",
      ], "\(run.output) \(run.errors)")
    let help = try home.run("tokenvault sign-in --help").output
    for name in ["microsoft", "github", "gitlab", "google", "forgejo URL", "oidc URL"] {
      #expect(help.contains(name))
    }
  }

  @Test func theConfiguredClientIsUsedAtItsOwnProviderOnly() throws {
    let home = try SignInHome()
    let config =
      #"{"signIn": {"clientId": "$C", "authority": "https://login.microsoftonline.com/common"}}"#
    let run = try home.run(
      "mkdir -p .config/tokenvault; cat >.config/tokenvault/config.json <<END\n\(config)\nEND\n"
        + "tokenvault sign-in github")
    #expect(run.errors.contains("GitHub needs a client id"), "\(run.errors)")
  }
}
