import Glibc
import TokenVault
import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultSignInTransport

/// The checks of the process, of the clock, and of the programs and libraries on the machine.
extension Diagnosis {
  static func process() -> [Finding] {
    [
      check("core-dumps", "core dumps") {
        var limit = rlimit()
        let isOff = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
        guard isOff, limit.rlim_cur == 0 else {
          throw Failure(
            .unexpected, "This process can leave a core file. Nothing was changed.",
            next: "ulimit -c 0")
        }
        return "disabled for this program"
      },
      check("locked-memory", "locked memory") {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0,
          limit.rlim_cur >= 64 << 10
        else {
          throw Failure(
            .refused,
            "Less than 64 KiB of memory can be locked against swapping. Nothing was changed.",
            next: "ulimit -l 64")
        }
        return limit.rlim_cur > 1 << 40 ? "unlimited" : "\(limit.rlim_cur >> 10) KiB"
      },
      check("kernel-keyring", "kernel keyring", stops: ["group unlock"]) {
        do throws(CustodyError) { try KernelKeyring.requireAvailability() } catch {
          throw VaultError.custody(error, group: .universalStorage)
        }
        return "available"
      },
    ]
  }

  static func clock(_ now: Timestamp) -> Finding {
    check("clock", "clock") {
      // Before the first release or after 2099, every token would appear valid or expired.
      guard (1_735_689_600..<4_102_444_800).contains(now.epochSeconds) else {
        throw Failure(
          .configuration, "The clock is set to \(now.iso8601), and token expiry depends on it.",
          next: "timedatectl set-ntp true")
      }
      return now.iso8601
    }
  }

  /// - Parameters:
  ///   - group: The group that needs the service.
  ///   - stops: the commands that a failure affects; empty if it affects the group in force.
  func secretService(
    _ vault: GroupSession, of group: GroupName, stops: [String]
  ) -> [Finding] {
    let status = GroupInspection(vault).secretServiceStatus()
    func step(
      _ id: String, _ title: String, _ holds: Bool?, _ error: CustodyError, _ detail: String
    ) -> Finding {
      Self.check(id, title, stops: stops) {
        guard holds == true else {
          throw refined(VaultError.custody(status.failure ?? error, group: group))
        }
        return detail
      }
    }
    let steps = [
      step("session-bus", "session bus", status.isBusReachable, .noBus, "reachable"),
      step(
        "secret-service", "Secret Service", status.service.map { $0 != .absent }, .noService,
        status.service == .activatable ? "can be started" : "running"),
      step(
        "default-collection", "default collection", status.hasDefaultCollection,
        .noDefaultCollection, "exists"),
      step("keyring-unlocked", "keyring", status.isLocked.map { !$0 }, .locked, "unlocked"),
    ]
    // After the first failing step, the later ones would repeat its message.
    let failing = steps.firstIndex { $0.failure != nil }
    return Array(steps[...(failing ?? steps.count - 1)])
  }

  /// - Parameter isNeeded: whether the group in force has yet to be created.
  func libsecret(isNeeded: Bool) -> Finding {
    let stops = ["group create", "group rekey", "sign-out"]
    return Self.check("libsecret", "libsecret", stops: isNeeded ? [] : stops) {
      guard SecretServiceCustodian.isLibraryLoadable else {
        throw VaultError.custody(.libraryMissing, group: .universalStorage)
      }
      return "can be loaded"
    }
  }

  func libcurl() -> Finding {
    let stops = [
      "sign-in", "request", "token if it has to be renewed", "sign-out for the revocation",
    ]
    return Self.check("libcurl", "libcurl", stops: stops) {
      guard CurlTransport.isAvailable else { throw VaultError.signIn(.transport(.noLibrary)) }
      return "can be loaded"
    }
  }

  func browser() -> Finding {
    Self.check("browser", "browser", stops: ["sign-in without --device-code"]) {
      if let command = invocation.environment["BROWSER"] {
        try invocation.requireBrowser(command)
        return "\(PlainText.escaped(command)), from BROWSER"
      }
      guard invocation.hasDesktop else { return "no desktop; sign in with --device-code" }
      do { try invocation.requireBrowser("xdg-open") } catch {
        throw Failure(
          .notFound, "xdg-open, which opens the sign-in page, is not installed.",
          next: "sudo apt-get install xdg-utils")
      }
      return "xdg-open"
    }
  }
}
