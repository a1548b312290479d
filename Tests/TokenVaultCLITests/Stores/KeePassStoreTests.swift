import Testing
import TokenVaultTestSupport

@testable import TokenVaultCLI

/// Exports of the real KeePassXC, and of damaged files.
@Suite(.timeLimit(.minutes(5)))
struct KeePassStoreTests {
  /// A database with entries in two groups and in the recycle bin.
  private static let database = """
    export QT_QPA_PLATFORM=offscreen
    cli() { verb=$1; shift; (echo pw; cat) | keepassxc-cli "$verb" --quiet "$@" 2>/dev/null; }
    printf 'pw\\npw\\n' | keepassxc-cli db-create --set-password p.kdbx >/dev/null 2>&1
    echo 'hunter"2, <&>' | cli add -p -u ada --url https://git.example.com --notes 'a note' p.kdbx Git
    cli mkdir p.kdbx Work </dev/null
    echo two | cli add -p -u bob --url 'https://mail.example.com/?a=b' p.kdbx Work/Mail
    echo three | cli add -p -u eve p.kdbx Work/Nowhere
    echo old | cli add -p -u zoe --url https://old.example.com p.kdbx Old; cli rm p.kdbx Old </dev/null

    """

  @Test(arguments: ["csv", "xml"])
  func entriesOfAnExportComeInAndTheOthersAreNamed(_ format: String) throws {
    let run = try StoreHome().run(
      Self.database + """
        dump() { cli export --format \(format) p.kdbx </dev/null; }
        dump | import keepassxc - ; echo $?; dump >plain; import keepassxc plain >/dev/null
        tokenvault token --service https://git.example.com; grep -c p.kdbx plain
        """)
    #expect(
      run.output == """
        added  ada  https://git.example.com
        added  bob  https://mail.example.com
        left out  Work/Nowhere: it has no address
        left out  Recycle Bin/Old: it is in the recycle bin
        2 secrets stored in dev.tokenvault.shared.
        1
        hunter"2, <&>
        0

        """, "\(run.errors)")
    #expect(run.errors.contains("Git: not imported: notes.\n"), "\(run.errors)")
    #expect(run.errors.contains("plain still has its passwords in plaintext; delete it.\n"))
  }

  /// KeePassXC keeps references to other entries as they are, and names the bin in the user's language.
  @Test func referencesTheRecycleBinAndASecondSecretOfOneAccountAreNamed() throws {
    let run = try StoreHome().run(
      """
      cat >plain.csv <<'END'
      "Group","Title","Username","Password","URL"
      "Root","One","ada","one","https://a.example"
      "Root","Same","ada","one","https://a.example"
      "Root","Two","ada","two","https://a.example"
      "Root","Reference","ada","{REF:P@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}","https://b.example"
      "Root","Name","{ref:U@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}","p","https://c.example"
      "Root/Papierkorb","Old","eve","old","https://d.example"
      END
      import keepassxc plain.csv --dry-run 2>/dev/null; import keepassxc plain.csv --force 2>/dev/null
      import keepassxc plain.csv --force 2>/dev/null | head -3; tokenvault token --service https://a.example
      """)
    let rest = """
      left out  Two: another item has another secret for ada at https://a.example
      left out  Reference: it refers to another entry
      left out  Name: it refers to another entry
      left out  Papierkorb/Old: it is in the recycle bin
      """
    #expect(
      run.output == """
        added  ada  https://a.example
        unchanged  ada  https://a.example
        \(rest)
        1 secret would be stored in dev.tokenvault.shared.
        added  ada  https://a.example
        unchanged  ada  https://a.example
        \(rest)
        1 secret stored in dev.tokenvault.shared.
        unchanged  ada  https://a.example
        unchanged  ada  https://a.example
        left out  Two: another item has another secret for ada at https://a.example
        one

        """, "\(run.errors)")
  }

  /// Databases of version 3, and KeePass 2, write times as text.
  @Test(arguments: [("2024-06-01T00:00:00Z", "1717200000 all"), ("soon", "none expiry")])
  func aTimeInTextIsReadOrNamed(_ text: String, _ wanted: String) throws {
    let file = """
      <KeePassFile><Root><Group><Name>r</Name><Entry>
      <String><Key>Password</Key><Value>p</Value></String>
      <String><Key>URL</Key><Value>https://a.example</Value></String>
      <String><Key>UserName</Key><Value>u</Value></String>
      <Times><Expires>True</Expires><ExpiryTime>\(text)</ExpiryTime></Times>
      </Entry></Group></Root></KeePassFile>
      """
    let item = try #require(KeePassExport(Array(file.utf8), file: "f").items().first)
    guard case .secret(let password) = item.content else {
      Issue.record("\(item)")
      return
    }
    let time = password.expiresOn.map { "\($0.epochSeconds)" } ?? "none"
    #expect("\(time) \(item.rest ?? "all")" == wanted)
  }

  /// With what is stored beside it, the second password is larger than the vault takes.
  @Test func anItemThatCannotBeStoredKeepsNoOtherFromComingIn() throws {
    let run = try StoreHome().run(
      """
      { echo title,username,password,url; echo A,ada,one,https://a.example
        printf B,ada,; head -c 1048576 /dev/zero | tr '\\0' x; echo ,https://b.example
        echo C,ada,three,https://c.example; } >plain.csv
      import keepassxc plain.csv 2>/dev/null; echo $?
      """)
    #expect(
      run.output == """
        added  ada  https://a.example
        left out  B: A value is larger than 1048560 bytes.
        added  ada  https://c.example
        2 secrets stored in dev.tokenvault.shared.
        1

        """, "\(run.errors)")
  }

  @Test func aDatabaseItselfIsRefusedWithTheCommandThatExportsIt() throws {
    let run = try StoreHome().run(
      Self.database + "import keepassxc p.kdbx; import keepassxc - </dev/null; echo $?")
    #expect(run.output == "65\n")
    #expect(
      run.errors.contains(
        "\nnext: keepassxc-cli export --format xml p.kdbx | tokenvault import --from keepassxc -\n"
      ), "\(run.errors)")
  }

  @Test(arguments: [
    "", "{}", "a,b\n1,2\n", "<KeePassFile>", "<KeePassFile></Root></KeePassFile>",
    "<!DOCTYPE a [<!ENTITY b \"c\">]><KeePassFile><Root/></KeePassFile>",
    "<KeePassFile><Root>&b;</Root></KeePassFile>", "<a><Root/></a>",
    "title,username,password,url\n\"a,b,c,d\n", "title,username,password,url\na,b,c\n",
  ])
  func aFileOfAnotherFormIsRefused(_ text: String) {
    #expect(throws: Failure.self) { try KeePassExport(Array(text.utf8), file: "f") }
  }

  /// A time, an attachment and an entry whose password the file has in encrypted form.
  @Test func fieldsOfXMLAreReadAsKeePassWritesThem() throws {
    let text = """
      <?xml version="1.0"?><KeePassFile><!-- a > comment --><Root><Group><Name>r</Name><Entry>
      <String><Key>Password</Key><Value ProtectInMemory="True"><![CDATA[a<b]]>&#x21;</Value></String>
      <String><Key>URL</Key><Value>https://a.example</Value></String>
      <String><Key>UserName</Key><Value>u</Value></String>
      <Times><Expires>True</Expires><ExpiryTime>gFvs3Q4AAAA=</ExpiryTime></Times>
      <Binary><Key>k</Key></Binary><History><Entry/></History></Entry><Entry>
      <String><Key>Password</Key><Value Protected="True">eA==</Value></String>
      </Entry></Group></Root></KeePassFile>
      """
    let items = try KeePassExport(Array(text.utf8), file: "f").items()
    try #require(items.count == 2)
    guard case .secret(let password) = items[0].content else {
      Issue.record("\(items[0])")
      return
    }
    #expect(password.secret.revealText() == "a<b!" && password.username == "u")
    // 2024-06-01T00:00:00Z
    #expect(password.expiresOn?.epochSeconds == 1_717_200_000)
    #expect(items[0].rest == "1 attachment")
    guard case .unusable(let reason) = items[1].content else {
      Issue.record("\(items[1])")
      return
    }
    #expect(reason == "its password is encrypted in the file")
  }
}
