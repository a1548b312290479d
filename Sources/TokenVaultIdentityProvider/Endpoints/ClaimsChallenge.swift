/// The claims that a resource requests if `claimsChallenge` is on.
enum ClaimsChallenge {
  static let text = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#

  static func isMet(by claims: JSON?) -> Bool {
    let asked = claims?["access_token"]?["acrs"]
    return asked?["value"]?.text == "c1" || asked?["values"]?.texts?.contains("c1") == true
  }
}
