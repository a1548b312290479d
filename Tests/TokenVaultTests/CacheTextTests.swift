import Foundation
import Testing
import TokenVaultModel

@testable import TokenVault

/// Entities are cut out of a cache file, and every other byte stays.
@Suite(.timeLimit(.minutes(5))) struct CacheTextTests {
  private static let ada = #""home_account_id":"1.2","environment":"login.windows.net""#
  private static let bob = #""home_account_id":"3.4","environment":"login.windows.net""#

  /// Cuts what belongs to the account 1.2.
  private func cut(_ text: String) throws -> (text: String, count: Int) {
    let (bytes, count) = try CacheText(Array(text.utf8)).cut { $0.homeAccountID == "1.2" }
    return (String(decoding: bytes, as: UTF8.self), count)
  }

  @Test func everyOtherByteStaysAsItWas() throws {
    let (ada, bob) = ("\"a\" : {\(Self.ada)}", "\"b\":\t{ \(Self.bob), \"x\":[1, {}] }")
    for (before, after) in [
      ("{ \"Account\" : {\n \(ada),\n \(bob)\n} }", "{ \"Account\" : {\n \(bob)\n} }"),
      ("{\"Account\":{\(bob) ,\r\n\(ada)\n},\"x\":1.50}", "{\"Account\":{\(bob)\n},\"x\":1.50}"),
      ("{\"Account\":{\(bob),\(ada),\(bob)}}", "{\"Account\":{\(bob),\(bob)}}"),
      ("{\"Account\":{\(ada),\(ada),\(bob),\(ada)}}", "{\"Account\":{\(bob)}}"),
      ("{\"Account\":{ \(ada), \(ada) }}\n", "{\"Account\":{  }}\n"),
      ("\u{feff}{\"RefreshToken\":{\(ada)}}", "\u{feff}{\"RefreshToken\":{}}"),
      ("{\"Other\":[{\(Self.ada)},7,{\(Self.bob)}]}", "{\"Other\":[7,{\(Self.bob)}]}"),
      ("{\"Deep\":{\"k\":{\"l\":[[{\(Self.ada)}]]}}}", "{\"Deep\":{\"k\":{\"l\":[[]]}}}"),
      ("{\"Other\":{\(Self.ada)},\"Account\":{}}", "{\"Account\":{}}"),
    ] {
      let result = try cut(before)
      #expect(result.text == after)
      #expect(try JSONValue(parsing: Array(result.text.utf8)).members != nil)
      #expect(try cut(after).count == 0)
    }
  }

  @Test func namesAreReadAsJSONReadsThem() throws {
    let escaped = #"{"RefreshToken":{"k":{"home\u005faccount_id":"\u0031.2","secret":"a\"}b\\"}}}"#
    #expect(try cut(escaped).text == #"{"RefreshToken":{}}"#)
    // The last of two equal names counts.
    let twice = #"{"RefreshToken":{"k":{"home_account_id":"1.2","home_account_id":"3.4"}}}"#
    #expect(try cut(twice).count == 0)
    let other = #"{"RefreshToken":{"k":{"note":"home_account_id","x":"1.2"}}}"#
    #expect(try cut(other).count == 0)
  }

  /// Fields beside the entities of a table do not make the table an entity.
  @Test func aTableIsNeverCutAsAWhole() throws {
    let table = "{\"RefreshToken\":{\(Self.ada),\"b\":{\(Self.bob)}}}"
    #expect(try cut(table).text == table)
  }

  @Test func textThatIsNoJSONObjectIsRefused() {
    for text in ["", "[]", "{", "{\"a\":1,}", "nonsense"] {
      #expect(throws: MSALCacheError.self) { try CacheText(Array(text.utf8)) }
    }
  }

  /// Compared with the values that a parser and a writer of JSON make of the same change.
  @Test func randomFilesLoseExactlyTheEntitiesOfTheAccount() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var (text, rest) = ("{", "{")
      for (index, table) in ["Account", "RefreshToken", "Foreign"].enumerated() {
        let entities = (0..<Int.random(in: 0...6, using: &random)).map { number in
          let isAda = Bool.random(using: &random)
          return (isAda, "\"k\(number)\" :{\(isAda ? Self.ada : Self.bob),\"n\":[\(number),{}]}")
        }
        let comma = index == 0 ? "" : ","
        text += "\(comma)\"\(table)\":{" + entities.map(\.1).joined(separator: " ,\n") + "}"
        let kept = entities.filter { !$0.0 }.map(\.1)
        rest += "\(comma)\"\(table)\":{" + kept.joined(separator: ",") + "}"
      }
      let result = try cut(text + "}").text
      #expect(
        try JSONValue(parsing: Array(result.utf8)) == JSONValue(parsing: Array((rest + "}").utf8)))
    }
  }
}
