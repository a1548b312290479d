import Testing

/// Each rule finds what it forbids, and nothing else.
@Suite(.timeLimit(.minutes(3)))
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
  func anImportOutsideTheTableIsFound(module: String, text: String) {
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
  func anImportInTheTableIsAllowed(module: String, text: String) {
    #expect(Rules.imports(file(text, in: module)).isEmpty)
  }

  @Test(arguments: [
    "let x = try! f()", "let x = y as! String", "fatalError()", "Swift.fatalError(\"no\")",
    "let x = try? f()", "print(x)", "Swift.print(x)", "let home = getenv(\"HOME\")", "exit(1)",
    "Glibc.exit(1)", "ProcessInfo.processInfo.environment", "CommandLine.arguments",
    "x.reveal() == y", "if y != x.secret?.reveal() {}",
  ])
  func aBannedWordIsFound(text: String) {
    #expect(Rules.banned(file("\n  " + text)).map(\.line) == [2])
  }

  @Test(arguments: [
    "let x = try f()", "// print(x) is for programs", "let text = \"try! exit(1)\"",
    "let x = try? f()  // absent is an answer: an old file has no such row",
    "fingerprint(x)", "x = y.reveal()", "session.exit(1)", "blueprint.print(x)",
    "let environment = 1",
    "let text = \"\"\"\n  exit(1)\n  \"\"\"",
  ])
  func aWordThatResemblesABannedOneIsAllowed(text: String) {
    #expect(Rules.banned(file(text)).isEmpty)
  }

  @Test func aProgramMayPrintAndExitButNotCrash() {
    #expect(Rules.banned(file("print(1); exit(1)", in: "TokenVaultCLI")).isEmpty)
    #expect(Rules.banned(file("try! f()", in: "TokenVaultCLI")).count == 1)
  }

  @Test func aForeignHeaderIsFound() {
    let text = "#include <string.h>\n# include <sqlite3.h>\n#include \"libsecret/secret.h\"\n"
    #expect(Rules.includes(file(text, in: "TokenVaultCSystem")).map(\.line) == [2, 3])
    #expect(Rules.includes(file(text, in: "TokenVaultCSecretService")).map(\.line) == [2])
  }

  @Test func aFileThatIsTooLongIsFound() {
    let longest = String(repeating: "// line\n", count: Rules.mostLines)
    #expect(Rules.size(file(longest)).isEmpty)
    #expect(Rules.size(file(longest + "// one more\n")).count == 1)
  }

  @Test func aPathOfOneMachineIsFound() {
    let path = "\"/ho" + "me/somebody/file\""
    #expect(Rules.homes(file("let file = \(path)")).count == 1)
    #expect(Rules.homes(file("let file = \"/etc/tokenvault\"")).isEmpty)
  }

  @Test(arguments: [
    "do { try f() } catch {}", "do { try f() } catch { _ = error }",
    "do { try f() } catch {\n  // It does not matter.\n}",
    "do { try f() } catch let failure as SystemCallError { _ = failure }",
  ])
  func aDroppedErrorIsFound(text: String) {
    #expect(Rules.droppedErrors(file("\n" + text)).map(\.line) == [2])
  }

  @Test(arguments: [
    "do { try f() } catch { throw g(error) }", "do { try f() } catch { return nil }",
    "do { try f() } catch .refused(let name) where gone.contains(name) {}",
    "bestEffort(\"a later start deletes it\") { try f() }",
  ])
  func anErrorThatIsHandledIsAllowed(text: String) {
    #expect(Rules.droppedErrors(file(text)).isEmpty)
  }

  @Test(arguments: [
    ("File", "struct Other {}"), ("File", "extension File {}"), ("File+Reading", "struct File {}"),
    ("Helpers", "func help() {}"), ("Help", "struct Other {}\nfunc help() {}"),
    ("File", "struct Outer {\n  struct File {}\n}"), ("File", "// struct File"),
    ("File", "#if FUZZING\n  enum Outer {\n    enum File {}\n  }\n#endif"),
  ])
  func aFileWithoutATypeOfItsNameIsFound(name: String, text: String) {
    let path = "Sources/TokenVaultModel/\(name).swift"
    #expect(Rules.fileName(SourceFile(path: path, text: text)).count == 1)
  }

  @Test(arguments: [
    ("File", "package struct File: ~Copyable {}"), ("File", "struct Other {}\nenum File {}"),
    ("File+Reading", "extension File {}"), ("Inner+Reading", "package extension File.Inner {}"),
    ("Help", "package func help() {}"), ("main", "print(1)"),
    ("File", "@unchecked public final class File {}"), ("File", "package typealias File = Int"),
    ("File", "#if FUZZING\n  enum File {}\n#endif"),
    ("File", "@Suite(.serialized, .timeLimit(.minutes(1))) struct File {}"),
  ])
  func aFileWithATypeOfItsNameIsAllowed(name: String, text: String) {
    let path = "Sources/TokenVaultModel/\(name).swift"
    #expect(Rules.fileName(SourceFile(path: path, text: text)).isEmpty)
  }

  @Test(arguments: [
    "@Suite struct ATests {}", "@Suite(.serialized) struct ATests {}",
    "@Suite(.timeLimit(.minutes(11))) struct ATests {}",
    "@Suite(\"Words\", .timeLimit(.minutes(1)))\nstruct ATests {}",
    "@Test(\"words\") func a() {}", "@Test func `a name`() {}", "@Test func ANice() {}",
    "@Test(\n  \"words\", arguments: [1])\nfunc a() {}",
  ])
  func aTestOfAnotherStyleIsFound(text: String) {
    #expect(Rules.tests(file("\n" + text)).map(\.line) == [2])
  }

  @Test(arguments: [
    "@Suite(.timeLimit(.minutes(1))) struct ATests {}",
    "@Suite(.serialized, .timeLimit(.minutes(10)))\nfinal class ATests {}",
    "@Test func rfc6749_aCode() {}", "@Test(arguments: [\"a\"]) func aWord(word: String) {}",
  ])
  func aTestOfTheRightStyleIsAllowed(text: String) {
    #expect(Rules.tests(file(text)).isEmpty)
  }

  @Test func aTestOutsideASuiteIsFound() {
    let limited = "@Suite(.timeLimit(.minutes(1)))\nstruct ATests {\n  @Test func a() {}\n}\n"
    let extended = "extension ATests {\n  @Test func b() {}\n}\n"
    #expect(Rules.testsOutsideSuites([file(limited), file(extended)]).isEmpty)
    #expect(Rules.testsOutsideSuites([file(extended)]).map(\.line) == [2])
    #expect(Rules.testsOutsideSuites([file(limited + "@Test func c() {}\n")]).map(\.line) == [5])
    let serialized =
      "@Suite(.serialized, .timeLimit(.minutes(1))) struct CTests {\n  @Test func e() {}\n}\n"
    #expect(Rules.testsOutsideSuites([file(limited + serialized)]).isEmpty)
    let bare = "struct BTests {\n  @Test func d() {}\n}\n"
    #expect(Rules.testsOutsideSuites([file(limited + bare)]).map(\.line) == [6])
  }
}
