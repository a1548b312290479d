import Testing
import TokenVaultModel

@testable import TokenVault

/// Caches of every library, with random damage.
@Suite(.timeLimit(.minutes(5))) struct MutatedCacheTests {
  private static let fixtures = [
    MSALCacheFixtures.python, MSALCacheFixtures.go, MSALCacheFixtures.dotNet,
    MSALCacheFixtures.javaScript, MSALCacheFixtures.java, MSALCacheFixtures.android,
    MSALCacheFixtures.objectiveC,
  ]

  /// Whatever stands in an entity, the file is read, nothing is lost, and a second round trip changes
  /// nothing. In the first one, an entity that cannot be read gives its key to one that can.
  @Test(arguments: 1...150 as ClosedRange<UInt64>)
  func aCacheWithOddValuesIsReadAndSurvivesARoundTrip(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let fixture = Self.fixtures[Int(seed) % Self.fixtures.count]
    let file = try JSONValue(parsing: Array(fixture.utf8))
    let odd = JSONValue.object(
      (file.members ?? []).map { table in
        guard let entities = table.value.members else { return table }
        return .init(
          table.name, .object(entities.map { .init($0.name, $0.value.mutated(using: &random)) }))
      })
    let cache = try MSALCache(json: odd.bytes)
    let text = try cache.json()
    #expect(try MSALCache(json: text).json() == text)
    func secrets(_ file: JSONValue) -> Set<JSONValue> {
      Set((file.members ?? []).flatMap { $0.value.members ?? [] }.compactMap { $0.value["secret"] })
    }
    #expect(
      secrets(odd).subtracting([.null, .string("")])
        .isSubset(of: secrets(try JSONValue(parsing: text))))
  }

  @Test(arguments: 1...150 as ClosedRange<UInt64>)
  func aCacheWithDamagedBytesIsReadOrRefused(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var bytes = Array(Self.fixtures[Int(seed) % Self.fixtures.count].utf8)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
    }
    do throws(MSALCacheError) {
      let cache = try MSALCache(json: bytes)
      let text = try cache.json()
      #expect(try MSALCache(json: text).json() == text)
    } catch {
      if case .badEntity = error { Issue.record("\(error)") }
    }
  }
}

extension JSONValue {
  /// The value with some of its members replaced, removed or renamed.
  fileprivate func mutated(using random: inout some RandomNumberGenerator) -> JSONValue {
    let odd: [JSONValue] = [
      .null, .bool(true), .number("1.50"), .string(""), .string("x\u{1b}y"), .array([.string("a")]),
      .object([.init("home_account_id", .string("somebody"))]), .string("-1"),
    ]
    guard let members else { return self }
    if Int.random(in: 0..<12, using: &random) == 0 {
      return odd.randomElement(using: &random) ?? .null
    }
    return .object(
      members.compactMap { member in
        switch Int.random(in: 0..<24, using: &random) {
        case 0: nil
        case 1: .init(member.name, odd.randomElement(using: &random) ?? .null)
        default: member
        }
      })
  }
}
