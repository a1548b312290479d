/// A device authorization (RFC 8628).
struct DeviceAuthorization {
  enum Answer { case pending, approved(username: String), denied, used }

  var code: String
  var realm: Realm
  var client: String
  var scopes: [String]
  var expires: Double
  var interval: Double
  var lastPoll: Double?
  var answer = Answer.pending
}
