import Testing

/// The rules themselves: each one must see what it forbids, and nothing else.
@Suite("The rules of the house")
struct RulesTests {
  func file(_ text: String, in module: String = "TokenVaultGroupStore") -> SourceFile {
    SourceFile(path: "Sources/\(module)/File.swift", text: text)
  }

  @Test(arguments: [
    ("TokenVaultModel", "import Glibc"),
    ("TokenVaultGroupStore", "import Foundation"),
    ("TokenVaultGroupStore", "internal import TokenVaultCOpenSSL"),
    ("TokenVaultCrypto", "import TokenVaultCOpenSSL"),
    ("TokenVaultCrypto", "public import TokenVaultCOpenSSL"),
    ("TokenVaultCrypto", "@preconcurrency import TokenVaultCOpenSSL"),
    ("TokenVault", "@testable import struct Foundation.Data"),
    ("TokenVaultCLI", "import TokenVaultGroupStore"),
    ("Drawer", "import Glibc"),
  ])
  func anImportThatIsNotInTheTableIsSeen(module: String, text: String) {
    let violations = Rules.imports(file("// A comment\n" + text, in: module))
    #expect(violations.count == 1)
    #expect(violations.first?.path == "Sources/\(module)/File.swift")
    #expect(violations.first?.line == (module == "Drawer" ? 1 : 2))
  }

  @Test(arguments: [
    ("TokenVaultCrypto", "internal import TokenVaultCOpenSSL"),
    ("TokenVaultCrypto", "@preconcurrency internal import TokenVaultCOpenSSL"),
    ("TokenVaultGroupStore", "public import TokenVaultModel"),
    ("TokenVaultModel", "// import Foundation"),
    ("TokenVaultModel", "let text = \"import Foundation\""),
    ("TokenVaultModel", "func `import`(_ file: String) {}"),
  ])
  func anImportOfTheTableIsAllowed(module: String, text: String) {
    #expect(Rules.imports(file(text, in: module)).isEmpty)
  }

  @Test(arguments: [
    "let x = try! f()", "let x = y as! String", "fatalError()", "Swift.fatalError(\"no\")",
    "let x = try? f()", "print(x)", "Swift.print(x)", "let home = getenv(\"HOME\")", "exit(1)",
    "Glibc.exit(1)", "ProcessInfo.processInfo.environment", "CommandLine.arguments",
  ])
  func aBannedWordIsSeen(text: String) {
    #expect(Rules.banned(file("\n  " + text)).map(\.line) == [2])
  }

  @Test(arguments: [
    "let x = try f()", "// print(x) is for programs", "let text = \"try! exit(1)\"",
    "let x = try? f()  // absent is an answer: an old file has no such row",
    "fingerprint(x)", "session.exit(1)", "blueprint.print(x)", "let environment = 1",
    "let text = \"\"\"\n  exit(1)\n  \"\"\"",
  ])
  func whatOnlyLooksLikeABannedWordIsAllowed(text: String) {
    #expect(Rules.banned(file(text)).isEmpty)
  }

  @Test func aProgramMayPrintAndExitButNotCrash() {
    #expect(Rules.banned(file("print(1); exit(1)", in: "TokenVaultCLI")).isEmpty)
    #expect(Rules.banned(file("try! f()", in: "TokenVaultCLI")).count == 1)
  }

  @Test func aForeignHeaderIsSeen() {
    let text = "#include <string.h>\n# include <sqlite3.h>\n#include \"libsecret/secret.h\"\n"
    #expect(Rules.includes(file(text, in: "TokenVaultCSystem")).map(\.line) == [2, 3])
    #expect(Rules.includes(file(text, in: "TokenVaultCSecretService")).map(\.line) == [2])
  }

  @Test func aFileOfMoreLinesThanAllowedIsSeen() {
    let longest = String(repeating: "// line\n", count: Rules.mostLines)
    #expect(Rules.size(file(longest)).isEmpty)
    #expect(Rules.size(file(longest + "// one more\n")).count == 1)
  }

  @Test func aPathOfOneMachineIsSeen() {
    let path = "\"/ho" + "me/somebody/file\""
    #expect(Rules.homes(file("let file = \(path)")).count == 1)
    #expect(Rules.homes(file("let file = \"/etc/tokenvault\"")).isEmpty)
  }
}
