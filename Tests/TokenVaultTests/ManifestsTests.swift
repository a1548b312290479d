import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct ManifestsTests {
  private let vault: TestVault
  private static let name = "com.microsoft.adalcache"

  init() throws { vault = try TestVault() }

  private var manifests: Manifests {
    Manifests(
      directories: [vault.manifestDirectory.path, vault.machineManifestDirectory.path])
  }

  private func write(_ json: String, machine: Bool = false, mode: Int = 0o600) throws -> String {
    let folder = machine ? vault.machineManifestDirectory : vault.manifestDirectory
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "\(Self.name).json")
    try Data(json.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    return file.path
  }

  private static func json(
    name: String = Self.name, title: String = "\"mine\"", members: String = "[]",
    custody: String = "\"secret-service\"", mode: String = "\"private\"", more: String = ""
  ) -> String {
    """
    {"name":"\(name)","title":\(title),"members":\(members),"custody":\(custody),
     "deviceMode":\(mode)\(more)}
    """
  }

  private func found() throws -> Manifests.Found {
    try manifests.find(try #require(GroupName(Self.name)))
  }

  @Test func theUsersManifestPrecedesTheMachinesAndTheBuiltInOne() throws {
    #expect(try found().path == nil)
    let machine = try write(Self.json(title: "\"machine\""), machine: true)
    #expect(try found().path == machine)
    let user = try write(Self.json(title: "\"user\""))
    #expect(try found().path == user)
    #expect(try found().manifest.title == "user")
    try manifests.remove(try #require(GroupName(Self.name)))
    #expect(try found().manifest.title == "machine")
    let unknown = GroupName("org.example.none")
    let error = #expect(throws: VaultError.self) { try manifests.find(unknown) }
    #expect(error?.name == "noManifest")
  }

  @Test func aSavedManifestIsReadBackWithAnyCustody() throws {
    for custody in [GroupManifest.Custody.secretService, .passphrase, .keyFile(path: "/k\"ey")] {
      let manifest = GroupManifest(
        name: try #require(GroupName(Self.name)), title: "Ti\u{301}tle",
        members: ["/usr/bin/a", "b"].compactMap(GroupManifest.Member.init), custody: custody,
        deviceMode: .shared)
      try manifests.save(manifest)
      #expect(try found().manifest == manifest)
    }
    #expect(try manifests.names().count == 3)
  }

  @Test(arguments: [
    ("{", ManifestFault.syntax(line: 1, column: 2)), ("[]", .notJSON), ("", .notJSON),
    ("{\n  \"name\": x\n}", .syntax(line: 2, column: 11)),
    (json(more: ",\"membres\":[]"), .unknownField("membres")),
    ("{\"name\":\"\(name)\"}", .missingField("members")),
    (json(name: "dev.tokenvault.shared"), .nameMismatch),
    (json(name: "../x"), .badValue("name")),
    (json(title: "1"), .badValue("title")), (json(title: "\"\""), .badValue("title")),
    (json(members: "\"tokenvault\""), .badValue("members")),
    (json(members: "[1]"), .badValue("members")),
    (json(members: "[\"bin/tool\"]"), .badValue("members")),
    (json(members: "[\"/bin/a\\nb\"]"), .badValue("members")),
    (json(custody: "\"plain\""), .badValue("custody")),
    (json(custody: "{\"key-file\":\"relative\"}"), .badValue("custody")),
    (json(custody: "{\"key-file\":\"/k\",\"x\":1}"), .badValue("custody")),
    (json(mode: "\"public\""), .badValue("deviceMode")),
    (json(mode: "null"), .badValue("deviceMode")),
    (json(title: "\"" + String(repeating: "a", count: 65 * 1024) + "\""), .tooLarge),
  ])
  func anInvalidManifestIsRefusedWithItsPath(json: String, fault: ManifestFault) throws {
    let path = try write(json)
    let error = #expect(throws: VaultError.self) { try found() }
    guard case .badManifest(path, let got)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(got == fault)
  }

  @Test func aManifestThatOthersMayWriteOrThatIsNotAFileIsRefused() throws {
    for mode in [0o620, 0o602, 0o666] {
      _ = try write(Self.json(), mode: mode)
      let error = #expect(throws: VaultError.self) { try found() }
      guard case .badManifest(_, .unsafe)? = error else {
        Issue.record("mode \(mode)")
        continue
      }
    }
    let path = try write(Self.json())
    try FileManager.default.removeItem(atPath: path)
    try vault.session.run(["mkfifo", path])
    let pipe = #expect(throws: VaultError.self) { try found() }
    #expect(pipe?.name == "badManifest")
  }

  @Test(.parity("MSALCacheConfig.defaultKeychainSharingGroup"))
  func theBuiltInManifestsAreThoseInKeychainGroups() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../keychain-groups").standardized
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") && $0 != "manifest.schema.json" }.sorted()
    let decoded = try files.map {
      let path = folder.appending(path: $0)
      return try Manifests.decode([UInt8](try Data(contentsOf: path)), path: path.path)
    }
    #expect(files == decoded.map { "\($0.name).json" })
    #expect(Set(decoded) == Set(GroupManifest.shipped))
    #expect(decoded.count == 3)
  }
}
