/// The endpoint that a path names. The raw values are the names in faults and in the log.
enum Endpoint: String {
  case discovery, keys, authorize, interaction, token, devicecode, devicelogin, logout, revoke
  case introspect, userinfo, instance, adminconsent, me, messages, api, control, unknown
}
