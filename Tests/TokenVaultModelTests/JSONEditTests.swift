import Testing

@testable import TokenVaultModel

/// Changes of single members, with every other byte kept.
@Suite(.timeLimit(.minutes(1)))
struct JSONEditTests {
  private static func edited(
    _ text: String, _ change: (inout JSONEdit) -> Void
  ) throws -> String {
    var edit = try JSONEdit(Array(text.utf8))
    change(&edit)
    return String(decoding: edit.bytes, as: UTF8.self)
  }

  private static let texts = [
    "{}", "{ }", "{\n}\n", #"{"a":1}"#, #"{ "a" : { "b" : [1, {"c": "}"}] } }"#,
    "{\n\t\"auths\": {\n\t\t\"x\": {}\n\t},\n\t\"z\": \"\\\"}\"\n}",
    #"{"a": 1  , "b": 2}"#, "{ \"a\": {}\n  , \"b\": \"x\"\n}",
    "\u{feff}{\r\n  \"k\" : null ,\r\n  \"l\":[ ]\r\n}\r\n",
  ]

  @Test(arguments: texts)
  func aMemberThatIsAddedAndRemovedLeavesTheFormerBytes(text: String) throws {
    let after = try Self.edited(text) { edit in
      edit.set(.string("tokenvault"), at: ["credsStore"])
      #expect(edit.value(at: ["credsStore"])?.text == "tokenvault")
      #expect(throws: Never.self) { try JSONValue(parsing: edit.bytes) }
      let removed = (edit.remove(at: ["credsStore"]), edit.remove(at: ["credsStore"]))
      #expect(removed == (true, false))
    }
    #expect(after == text)
  }

  @Test func anAddedMemberIsIndentedAsItsNeighbour() throws {
    let text = "{\n\t\"auths\": {},\n\t\"z\": 1\n}\n"
    #expect(
      try Self.edited(text) { $0.set(.string("s"), at: ["credsStore"]) }
        == "{\n\t\"auths\": {},\n\t\"z\": 1,\n\t\"credsStore\": \"s\"\n}\n")
    #expect(
      try Self.edited("{\n  \"a\": 1\n}") { $0.set(.bool(true), at: ["b"]) }
        == "{\n  \"a\": 1,\n  \"b\": true\n}")
  }

  @Test func aValueIsReplacedInItsPlace() throws {
    #expect(
      try Self.edited(#"{"a" : {"b": [1,2] , "c":3}}"#) { $0.set(.string("x"), at: ["a", "b"]) }
        == #"{"a" : {"b": "x" , "c":3}}"#)
  }

  @Test func theFirstMiddleAndLastMemberCanBeRemoved() throws {
    let text = "{\n  \"a\": 1,\n  \"b\": {\"a\": 2},\n  \"c\": 3\n}"
    #expect(
      try Self.edited(text) { $0.remove(at: ["a"]) } == "{\n  \"b\": {\"a\": 2},\n  \"c\": 3\n}")
    #expect(try Self.edited(text) { $0.remove(at: ["b"]) } == "{\n  \"a\": 1,\n  \"c\": 3\n}")
    #expect(
      try Self.edited(text) { $0.remove(at: ["c"]) } == "{\n  \"a\": 1,\n  \"b\": {\"a\": 2}\n}")
    #expect(
      try Self.edited(text) { $0.remove(at: ["b", "a"]) }
        == "{\n  \"a\": 1,\n  \"b\": {},\n  \"c\": 3\n}")
  }

  /// A reader may take any of several members with one name.
  @Test func everyMemberOfTheNameIsRemoved() throws {
    #expect(
      try Self.edited(#"{"a":1,"x":0,"\u0061":2,"a":3}"#) { $0.remove(at: ["a"]) } == #"{"x":0}"#)
  }

  @Test func aMissingObjectIsAddedAndAnotherValueIsNotReplacedByOne() throws {
    let text = "{\n  \"a\": 1\n}"
    #expect(
      try Self.edited(text) { $0.set(.string("s"), at: ["h", "x"]) }
        == "{\n  \"a\": 1,\n  \"h\": {\"x\":\"s\"}\n}")
    let same = try Self.edited(text) { edit in
      let isSet = edit.set(.null, at: ["a", "b"])
      #expect(!isSet)
    }
    #expect(same == text)
  }

  @Test(arguments: ["", "[]", "1", "{", "{} x", #"{"a"}"#])
  func anythingButOneObjectIsRefused(text: String) {
    #expect(throws: JSONError.self) { try JSONEdit(Array(text.utf8)) }
  }
}
