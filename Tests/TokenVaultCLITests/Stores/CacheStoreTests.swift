import Testing
import TokenVaultTestSupport

/// Token caches that the real msal-extensions for Python keeps in the Secret Service.
@Suite(.timeLimit(.minutes(5)))
struct CacheStoreTests {
  private let home: StoreHome
  private let peer: String

  init() throws {
    home = try StoreHome()
    let python = try PythonPeer().interpreter.path
    peer = "peer() { '\(python)' -B '\(ClientHome.script("msal_keyring.py"))' \"$@\"; }\n"
  }

  @Test func aCacheOfAzureCLIComesInAndGoesOut() throws {
    let run = try home.run(
      peer + """
        peer save 'Microsoft Azure CLI' 'type=Token cache' <cache.json
        echo '[{"client_id": "s"}]' | peer save 'Microsoft Azure CLI' 'type=Secret store'
        import msal --dry-run 2>/dev/null; import msal 2>/dev/null | tail -1; import msal 2>/dev/null; echo $?
        import msal --remove --yes 2>/dev/null | grep -c '^removed'
        peer load 'Microsoft Azure CLI' 'type=Token cache' 2>/dev/null
        peer load 'Microsoft Azure CLI' 'type=Secret store'; tokenvault token --account ada
        """)
    #expect(
      run.output == """
        added  ada@contoso.example  login.microsoftonline.com
        added  bob@contoso.example  login.microsoftonline.com
        left out  type=Secret store xdg:schema=Microsoft Azure CLI: it is not a token cache of MSAL
        4 credentials would be stored in com.microsoft.identity.universalstorage.
        4 credentials stored in com.microsoft.identity.universalstorage.
        unchanged  ada@contoso.example  login.microsoftonline.com
        unchanged  bob@contoso.example  login.microsoftonline.com
        left out  type=Secret store xdg:schema=Microsoft Azure CLI: it is not a token cache of MSAL
        0 credentials stored in com.microsoft.identity.universalstorage.
        1
        1
        [{"client_id": "s"}]
        at-ada

        """, "\(run.errors)")
  }

  @Test func aCacheWithOtherAttributesIsFoundByThem() throws {
    let run = try home.run(
      peer + """
        peer save msal.cache.nocae MsalClientID=Microsoft.Developer.IdentityService <one.json
        peer save com.contoso Version=1 ProductGroup=Contoso <cache.json
        import msal 2>/dev/null; import msal --attribute Version=1 --attribute ProductGroup=Contoso 2>/dev/null
        """)
    #expect(
      run.output == """
        added  ada@contoso.example  login.microsoftonline.com
        2 credentials stored in com.microsoft.identity.universalstorage.
        added  bob@contoso.example  login.microsoftonline.com
        unchanged  ada@contoso.example  login.microsoftonline.com
        2 credentials stored in com.microsoft.identity.universalstorage.

        """, "\(run.errors)")
  }

  /// LinuxKeyringAccessor.cs of the extensions for .NET stores base64.
  @Test func aCacheInBase64ComesInAndIsNotReplacedByJSON() throws {
    let run = try home.run(
      """
      base64 -w 60 cache.json | secret-tool store --label=MSALCache xdg:schema dotnet \
        MsalClientID Microsoft.Developer.IdentityService
      import msal 2>/dev/null
      export_to msal --force --attribute xdg:schema=dotnet --attribute MsalClientID=Microsoft.Developer.IdentityService
      import msal --remove --yes 2>/dev/null | grep -c ^removed
      """)
    #expect(
      run.output == """
        added  ada@contoso.example  login.microsoftonline.com
        added  bob@contoso.example  login.microsoftonline.com
        4 credentials stored in com.microsoft.identity.universalstorage.
        left out  2 accounts  xdg:schema=dotnet MsalClientID=Microsoft.Developer.IdentityService: \
        the item there is not a token cache in JSON
        1

        """, "\(run.errors)")
  }

  @Test func anExportedCacheReplacesNoItemWithFurtherAttributes() throws {
    let run = try home.run(
      """
      printf other | secret-tool store --label=other xdg:schema s Version 1 ProductGroup p
      tokenvault import --quiet cache.json >/dev/null
      export_to msal --force --attribute xdg:schema=s --attribute Version=1 2>/dev/null
      tokenvault import --quiet one.json >/dev/null
      export_to msal --force --attribute Version=1 2>/dev/null
      secret-tool lookup ProductGroup p; echo; secret-tool search --all Version 1 2>/dev/null | grep -c '^secret'
      """)
    #expect(
      run.output == """
        written  2 accounts  xdg:schema=s Version=1
        written  2 accounts  Version=1
        other
        3

        """, "\(run.errors)")
  }

  @Test func msalReadsTheCacheThatWasExported() throws {
    let run = try home.run(
      peer + """
        tokenvault import --quiet cache.json >/dev/null
        to() { export_to msal --attribute xdg:schema=s --attribute Version=1 "$@"; }
        to --username ada@contoso.example 2>/dev/null; to; echo $?; to --force 2>/dev/null
        peer load s Version=1 | grep -o 'at-[a-z]*' | sort
        """)
    #expect(
      run.output == """
        written  1 account  xdg:schema=s Version=1
        left out  2 accounts  xdg:schema=s Version=1: the store has another cache there; --force \
        replaces it
        1
        written  2 accounts  xdg:schema=s Version=1
        at-ada
        at-bob

        """, "\(run.errors)")
  }
}
