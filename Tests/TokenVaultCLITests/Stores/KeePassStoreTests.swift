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
