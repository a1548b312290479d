import Testing
import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct GUIDTests {
  @Test(arguments: [
    "9f4880d8-80ba-4c40-97bc-f7a23c703084", "9F4880D8-80BA-4C40-97BC-F7A23C703084",
    "00000000-0000-0000-0000-000000000000",
  ])
  func aGUIDIsRecognisedInEitherCase(text: String) {
    #expect(GUID.isValid(text.utf8))
    #expect(GUID.isValid(Array(text.utf8)))
  }

  @Test(arguments: [
    "", "9f4880d8", "9f4880d880ba4c4097bcf7a23c703084", "{9f4880d8-80ba-4c40-97bc-f7a23c703084}",
    "9f4880d8-80ba-4c40-97bc-f7a23c70308", "9f4880d8-80ba-4c40-97bc-f7a23c7030845",
    "9f4880d8-80ba-4c40-97bc-f7a23c70308g", "9f4880d8080ba-4c40-97bc-f7a23c703084",
    "9f4880d-880ba-4c40-97bc-f7a23c703084", "9f4880d8-80ba-4c40-97bc-f7a23c70308\u{e4}",
  ])
  func otherTextIsNotAGUID(text: String) {
    #expect(!GUID.isValid(text.utf8))
  }
}
