import Glibc
import TokenVaultModel

extension Timestamp {
  /// The time of this machine's zone without the zone, as the Azure CLI prints it:
  /// `2026-02-28 13:00:00.000000`.
  var localTime: String {
    var seconds = time_t(min(max(epochSeconds, 0), 253_402_300_799))
    var parts = unsafe tm()
    guard unsafe localtime_r(&seconds, &parts) != nil else { return "9999-12-31 23:59:59.000000" }
    let zone = Int64(unsafe parts.tm_gmtoff)
    let shifted = Timestamp(epochSeconds: Int64(seconds) + zone).iso8601
    return shifted.dropLast().replacing("T", with: " ") + ".000000"
  }
}
