/// Caches as each MSAL library writes them. All names, ids and tokens are made up.
enum MSALCacheFixtures {
  static let ada =
    "11111111-1111-4111-8111-111111111111.aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
  static let contoso = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
  static let azureCLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
  static let login = "login.microsoftonline.com"

  /// MSAL Python: times as strings, null for an unknown account, sorted scopes.
  static let python = """
    {
        "AccessToken": {
            "\(ada)-\(login)-accesstoken-\(azureCLI)-\(contoso)-a.read b.read": {
                "credential_type": "AccessToken", "secret": "fake-at",
                "home_account_id": "\(ada)", "environment": "\(login)",
                "client_id": "\(azureCLI)", "target": "a.read b.read", "realm": "\(contoso)",
                "token_type": "Bearer", "cached_at": "1700000000", "expires_on": "1700003600",
                "extended_expires_on": "1700007200", "refresh_on": "1700001800"
            },
            "-\(login)-accesstoken-\(azureCLI)-\(contoso)-c.read": {
                "credential_type": "AccessToken", "secret": "fake-device-at",
                "home_account_id": null, "environment": "\(login)",
                "client_id": "\(azureCLI)", "target": "c.read", "realm": "\(contoso)",
                "token_type": "Bearer", "cached_at": "1700000000", "expires_on": "1700003600",
                "extended_expires_on": "1700003600"
            }
        },
        "Account": {
            "\(ada)-\(login)-\(contoso)": {
                "home_account_id": "\(ada)", "environment": "\(login)", "realm": "\(contoso)",
                "local_account_id": "11111111-1111-4111-8111-111111111111",
                "username": "ada@contoso.example", "authority_type": "MSSTS",
                "account_source": "authorization_code"
            }
        },
        "IdToken": {
            "\(ada)-\(login)-idtoken-\(azureCLI)-\(contoso)-": {
                "credential_type": "IdToken", "secret": "h.e.s", "home_account_id": "\(ada)",
                "environment": "\(login)", "realm": "\(contoso)", "client_id": "\(azureCLI)"
            }
        },
        "RefreshToken": {
            "\(ada)-\(login)-refreshtoken-\(azureCLI)--a.read b.read": {
                "credential_type": "RefreshToken", "secret": "fake-rt",
                "home_account_id": "\(ada)", "environment": "\(login)",
                "client_id": "\(azureCLI)", "target": "a.read b.read",
                "last_modification_time": "1700000000", "family_id": "1"
            }
        },
        "AppMetadata": {
            "appmetadata-\(login)-\(azureCLI)": {
                "client_id": "\(azureCLI)", "environment": "\(login)", "family_id": "1"
            }
        }
    }
    """

  /// MSAL Go: "IDToken" as the type, no empty last part in keys, `keyid`, `refresh_in`, no empty
  /// fields, managed identities.
  static let go = """
    {"AccessToken":{"\(ada)-\(login)-accesstoken-\(azureCLI)-\(contoso)-b.read a.read":{
       "home_account_id":"\(ada)","environment":"\(login)","realm":"\(contoso)",
       "credential_type":"AccessToken","client_id":"\(azureCLI)","secret":"fake-go-at",
       "target":"b.read a.read","expires_on":"1700003600","extended_expires_on":"1700003600",
       "cached_at":"1700000000","token_type":"pop","keyid":"key-1","refresh_in":"1700001800"},
      "-https://identity-accesstoken-system-managed_identity-https://one.example":{
       "environment":"https://identity","realm":"managed_identity","client_id":"system",
       "credential_type":"AccessToken","secret":"fake-mi-one","expires_on":"1700003600",
       "cached_at":"1700000000","resource":"https://one.example"},
      "-https://identity-accesstoken-system-managed_identity-https://two.example":{
       "environment":"https://identity","realm":"managed_identity","client_id":"system",
       "credential_type":"AccessToken","secret":"fake-mi-two","expires_on":"1700003600",
       "cached_at":"1700000000","resource":"https://two.example"}},
     "RefreshToken":{"\(ada)-\(login)-refreshtoken-1--":{
       "home_account_id":"\(ada)","environment":"\(login)","credential_type":"RefreshToken",
       "client_id":"\(azureCLI)","family_id":"1","secret":"fake-go-rt"}},
     "IdToken":{"\(ada)-\(login)-idtoken-\(azureCLI)-\(contoso)":{
       "home_account_id":"\(ada)","environment":"\(login)","realm":"\(contoso)",
       "credential_type":"IDToken","client_id":"\(azureCLI)","secret":"h.e.s"}},
     "Account":{"\(ada)-\(login)-\(contoso)":{
       "home_account_id":"\(ada)","environment":"\(login)","realm":"\(contoso)",
       "local_account_id":"11111111","authority_type":"MSSTS",
       "username":"ada@contoso.example"}},
     "AppMetadata":{"appmetadata-\(login)-\(azureCLI)":{
       "family_id":"1","client_id":"\(azureCLI)","environment":"\(login)"}}}
    """

  /// MSAL .NET: a byte order mark, `kid`, `ext_expires_on`, `wam_account_ids`, tokens with
  /// additional cache key components, and a member that no other library writes.
  static let dotNet = """
    \u{FEFF}{"AccessToken":{
      "\(ada)-\(login)-accesstoken_with_authscheme-\(azureCLI)-\(contoso)-a.read-pop":{
       "home_account_id":"\(ada)","environment":"\(login)","client_info":"e30",
       "client_id":"\(azureCLI)","secret":"fake-net-pop","credential_type":"AccessToken",
       "realm":"\(contoso)","target":"a.read","cached_at":"1700000000",
       "expires_on":"1700003600","ext_expires_on":"1700003600","kid":"key-2",
       "token_type":"pop"},
      "\(ada)-\(login)-atext-\(azureCLI)-\(contoso)-a.read-hash":{
       "home_account_id":"\(ada)","environment":"\(login)","client_id":"\(azureCLI)",
       "secret":"fake-net-ext","credential_type":"AccessToken","realm":"\(contoso)",
       "target":"a.read","cached_at":"1700000000","expires_on":"1700003600",
       "extended_expires_on":"1700003600","ext":{"fmi_path":"made/up"}}},
     "Account":{"\(ada)-\(login)-\(contoso)":{
       "home_account_id":"\(ada)","environment":"\(login)","client_info":"e30",
       "username":"ada@contoso.example","authority_type":"MSSTS","realm":"\(contoso)",
       "local_account_id":"11111111","name":"Ada","wam_account_ids":{"\(azureCLI)":"wam-1"}}},
     "unknown_node":{"anything":[1,2.50,-0,1e3,18446744073709551615]}}
    """

  /// MSAL Java and JS: times as numbers, a type for bound tokens that only JS has, tenant profiles
  /// inside the account, camel case in places.
  static let javaScript = """
    {"Account":{"\(ada)-\(login)-\(contoso)":{
       "home_account_id":"\(ada)","environment":"\(login)","realm":"\(contoso)",
       "local_account_id":"11111111","username":"ada@contoso.example",
       "authority_type":"MSSTS","last_modification_time":"1700000000",
       "tenantProfiles":["{\\"tenantId\\":\\"\(contoso)\\"}"]}},
     "AccessToken":{
      "\(ada)-\(login)-accesstoken-\(azureCLI)-\(contoso)-a.read--":{
       "credential_type":"AccessToken","secret":"fake-js-at","home_account_id":"\(ada)",
       "environment":"Login.MicrosoftOnline.com","client_id":"\(azureCLI)",
       "realm":"\(contoso)","target":"a.read","cached_at":1700000000,"expires_on":1700003600.0,
       "userAssertionHash":"assertion","requestedClaims":"{\\"id_token\\":{}}"},
      "\(ada)-\(login)-accesstoken_with_authscheme-\(azureCLI)-\(contoso)-a.read-pop":{
       "credential_type":"AccessToken_With_AuthScheme","secret":"fake-js-pop",
       "home_account_id":"\(ada)","environment":"\(login)","client_id":"\(azureCLI)",
       "realm":"\(contoso)","target":"a.read","expires_on":1700003600,"keyId":"key-3"}},
     "RefreshToken":{"\(ada)-\(login)-refreshtoken-1----":{
       "credential_type":"RefreshToken","secret":"fake-js-rt","home_account_id":"\(ada)",
       "environment":"\(login)","client_id":"\(azureCLI)","family_id":"1"}},
     "IdToken":{},"AppMetadata":null}
    """

  /// MSAL Java: the scopes of a refresh token in its key, null for no family.
  static let java = """
    {"Account":{"\(ada)-\(login)-\(contoso)":{
       "home_account_id":"\(ada)","environment":"\(login)","realm":"\(contoso)",
       "local_account_id":"11111111","username":"ada@contoso.example",
       "authority_type":"MSSTS","client_info":"e30"}},
     "RefreshToken":{"\(ada)-\(login)-refreshtoken-\(azureCLI)--b.read a.read":{
       "target":"b.read a.read","environment":"\(login)","credential_type":"RefreshToken",
       "secret":"fake-java-rt","client_id":"\(azureCLI)","home_account_id":"\(ada)"}},
     "AccessToken":{"\(ada)-\(login)-accesstoken-\(azureCLI)-\(contoso)-b.read a.read":{
       "environment":"\(login)","credential_type":"AccessToken","secret":"fake-java-at",
       "realm":"\(contoso)","target":"b.read a.read","client_id":"\(azureCLI)",
       "cached_at":"1700000000","home_account_id":"\(ada)",
       "extended_expires_on":"1700003600","expires_on":"1700003600","refresh_on":"0"}},
     "IdToken":{"\(ada)-\(login)-idtoken-\(azureCLI)-\(contoso)-":{
       "realm":"\(contoso)","environment":"\(login)","credential_type":"IdToken",
       "secret":"h.e.s","client_id":"\(azureCLI)","home_account_id":"\(ada)"}},
     "AppMetadata":{"appmetadata-\(login)-\(azureCLI)":{
       "environment":"\(login)","family_id":null,"client_id":"\(azureCLI)"}}}
    """

  /// MSAL Android: the former name of the token type, the authority of a token, tokens of several
  /// applications that share a client, and an ID token of the first version.
  static let android = """
    {"AccessToken":{
      "\(ada)-\(login)-accesstoken-\(azureCLI)-\(contoso)-a.read":{
       "home_account_id":"\(ada)","environment":"\(login)","client_id":"\(azureCLI)",
       "credential_type":"AccessToken","secret":"fake-android-at","realm":"\(contoso)",
       "target":"a.read","access_token_type":"pop","kid":"key-4",
       "authority":"https://\(login)/\(contoso)","cached_at":"1700000000",
       "expires_on":"1700003600","extended_expires_on":"1700003600"},
      "\(ada)-\(login)-accesstoken-\(azureCLI)-com.example/c2ln-\(contoso)-a.read":{
       "home_account_id":"\(ada)","environment":"\(login)","client_id":"\(azureCLI)",
       "credential_type":"AccessToken","secret":"fake-android-app-at","realm":"\(contoso)",
       "target":"a.read","application_identifier":"com.example/c2ln","cached_at":"1700000000",
       "expires_on":"1700003600","extended_expires_on":"1700003600"}},
     "RefreshToken":{"\(ada)-\(login)-refreshtoken-1--":{
       "home_account_id":"\(ada)","environment":"\(login)","client_id":"\(azureCLI)",
       "credential_type":"RefreshToken","secret":"fake-android-rt","family_id":"1",
       "cached_at":"1700000000"}},
     "IdToken":{"\(ada)-\(login)-v1idtoken-\(azureCLI)-\(contoso)-":{
       "home_account_id":"\(ada)","environment":"\(login)","client_id":"\(azureCLI)",
       "credential_type":"V1IdToken","secret":"h.e.s","realm":"\(contoso)"}},
     "Account":{"\(ada)-\(login)-\(contoso)":{
       "home_account_id":"\(ada)","environment":"\(login)","realm":"\(contoso)",
       "local_account_id":"11111111","username":"ada@contoso.example",
       "authority_type":"MSSTS","first_name":"Ada","client_info":"e30"}}}
    """

  /// MSAL for iOS and macOS: types and account metadata that no other library has, times with
  /// fractions.
  static let objectiveC = """
    {"AccessToken":{},"Account":{},"IdToken":{},
     "RefreshToken":{"k":{
       "credential_type":"FamilyRefreshToken","secret":"fake-objc-frt",
       "home_account_id":"\(ada)","environment":"\(login)",
       "last_modification_time":"1700000000.123"},
      "l":{"credential_type":"PrimaryRefreshToken","secret":"fake-objc-prt",
       "home_account_id":"\(ada)","environment":"\(login)","client_id":"\(azureCLI)",
       "session_key":"fake-session-key","expires_on":{"odd":true}}},
     "BoundRefreshToken":{"m":{
       "credential_type":"BoundRefreshToken","secret":"fake-objc-bound",
       "home_account_id":"\(ada)","bound_device_id":"device"},"n":{"about":"nobody"}},
     "AccountMetadata":[{"home_account_id":"\(ada)","sign_in_state":"signed_in"}]}
    """
}
