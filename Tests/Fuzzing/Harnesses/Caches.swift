import TokenVaultModel

@testable import TokenVault

/// MSAL caches of other programs, and Azure CLI's profile. An input's first byte selects the kind.
enum Caches {
  static func read(_ input: [UInt8]) {
    guard let kind = input.first else { return }
    let bytes = Array(input.dropFirst())
    do throws(MSALCacheError) {
      switch kind {
      case UInt8(ascii: "c"): try roundTrip(bytes)
      case UInt8(ascii: "x"): try removal(bytes)
      case UInt8(ascii: "p"):
        let profile = try AzureProfile(json: bytes)
        precondition(profile.users.count == Set(profile.users).count)
      default: return
      }
    } catch { precondition(!"\(error)".isEmpty) }
  }

  /// A cache that can be imported can be exported, and a second round trip changes nothing.
  private static func roundTrip(_ bytes: [UInt8]) throws(MSALCacheError) {
    let cache = try MSALCache(json: bytes)
    do throws(MSALCacheError) {
      let text = try cache.json()
      let again = try MSALCache(json: text).json()
      precondition(again == text)
    } catch { preconditionFailure("\(error)") }
  }

  /// What is cut out of a cache leaves JSON, without the account.
  private static func removal(_ bytes: [UInt8]) throws(MSALCacheError) {
    let rest = try CacheText(bytes).cut { $0.homeAccountID == "1.2" }
    do throws(MSALCacheError) {
      let text = try CacheText(rest.bytes)
      precondition(rest.count > 0 || rest.bytes == bytes)
      precondition(text.cut { $0.homeAccountID == "1.2" }.count == 0)
    } catch { preconditionFailure("\(error)") }
  }
}
