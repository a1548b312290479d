import Glibc
import TokenVaultKeyCustody
import TokenVault
import TokenVaultModel

/// Checks every precondition, without a prompt.
struct Diagnosis {
  let findings: [Finding]

  init(_ invocation: Invocation) throws {
    var invocation = invocation
    invocation.options.mayAsk = false
    let vault = GroupSession(try invocation.configuration(.universalStorage))
    var all = Self.process()
    all.append(Self.clock(invocation.now))
    all.append(Self.directory(vault))
    all.append(Self.configurationFile(invocation))
    let groups = try invocation.groupsOnDisk()
    all += Self.manifests(vault)
    let described = groups.map { group in
      Result { try GroupInspection(GroupSession(invocation.configuration(group))).describe() }
    }
    let usesSecretService =
      described.isEmpty
      || described.contains { result in
        if case .success(let group) = result { return group.file?.custody == .secretService }
        return false
      }
    if usesSecretService { all += Self.secretService(vault) }
    for group in groups { all.append(Self.group(group, invocation)) }
    findings = all
  }

  private static func check(
    _ id: String, _ title: String, _ body: () throws -> String
  ) -> Finding {
    do {
      return Finding(id, title, try body())
    } catch {
      let failure = Failure(error)
      return Finding(id, title, failure.message, failure: failure)
    }
  }

  private static func process() -> [Finding] {
    [
      check("core-dumps", "core dumps") {
        var limit = rlimit()
        let isOff = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
        guard isOff, limit.rlim_cur == 0 else {
          throw Failure(.unexpected, "This process can leave a core file.", next: "ulimit -c 0")
        }
        return "disabled for this program"
      },
      check("locked-memory", "locked memory") {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0,
          limit.rlim_cur >= 64 << 10
        else {
          throw Failure(
            .refused, "Less than 64 KiB of memory can be locked against swapping.",
            next: "ulimit -l 64")
        }
        return limit.rlim_cur > 1 << 40 ? "unlimited" : "\(limit.rlim_cur >> 10) KiB"
      },
      check("kernel-keyring", "kernel keyring") {
        do throws(CustodyError) { try KernelKeyring.requireAvailability() } catch {
          throw VaultError.custody(error, group: .universalStorage)
        }
        return "available"
      },
    ]
  }

  private static func clock(_ now: Timestamp) -> Finding {
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

  private static func directory(_ vault: GroupSession) -> Finding {
    check("vault-directory", "vault directory") {
      let path = PlainText.escaped(vault.configuration.directory)
      return try GroupInspection(vault).checkDirectory() ? path : "\(path) (not created yet)"
    }
  }

  private static func configurationFile(_ invocation: Invocation) -> Finding {
    check("configuration", "configuration") {
      let group = try invocation.select(needsAccount: false)
      return "group \(group.group), \(group.groupRule.reason(isAccount: false))"
    }
  }

  private static func manifests(_ vault: GroupSession) -> [Finding] {
    let names: [GroupName]
    do { names = try vault.configuration.manifests.names() } catch {
      return [check("manifests", "manifests") { throw error }]
    }
    let failed = names.compactMap { name -> Finding? in
      let finding = check("manifests", "manifest \(name)") {
        _ = try vault.configuration.manifests.find(name)
        return ""
      }
      return finding.failure == nil ? nil : finding
    }
    return failed.isEmpty ? [Finding("manifests", "manifests", "\(names.count) valid")] : failed
  }

  private static func secretService(_ vault: GroupSession) -> [Finding] {
    let status = GroupInspection(vault).secretServiceStatus()
    func require(_ holds: Bool?, _ error: CustodyError, _ detail: String) throws -> String {
      guard holds == true else {
        throw VaultError.custody(status.failure ?? error, group: .universalStorage)
      }
      return detail
    }
    let steps: [Finding] = [
      check("session-bus", "session bus") {
        try require(status.isBusReachable, .noBus, "reachable")
      },
      check("secret-service", "Secret Service") {
        try require(
          status.service.map { $0 != .absent }, .noService,
          status.service == .activatable ? "can be started" : "running")
      },
      check("default-collection", "default collection") {
        try require(status.hasDefaultCollection, .noDefaultCollection, "exists")
      },
      check("keyring-unlocked", "keyring") {
        try require(status.isLocked.map { !$0 }, .locked, "unlocked")
      },
    ]
    // After the first failing step, the later ones would repeat its message.
    let failing = steps.firstIndex { $0.failure != nil }
    return steps[...(failing ?? steps.count - 1)] + [
      check("libsecret", "libsecret") {
        guard SecretServiceCustodian.isLibraryLoadable else {
          throw VaultError.custody(.libraryMissing, group: .universalStorage)
        }
        return "can be loaded"
      }
    ]
  }

  private static func group(_ name: GroupName, _ invocation: Invocation) -> Finding {
    check("group", "group \(name)") {
      let vault = GroupSession(try invocation.configuration(name))
      do {
        let (pending, wrappedSuccessors) = try GroupInspection(vault).diagnose()
        guard pending == 0, !wrappedSuccessors else {
          throw Failure(
            .inputOutput,
            "A sign-out is not finished: \(pending) former keys have not been deleted.",
            next: "tokenvault list --group \(name), which tries again")
        }
        return "can be opened"
      } catch VaultError.custody(.passphraseRequired, group: _) {
        // There is no prompt here, so the passphrase cannot be checked.
        return "needs its passphrase"
      }
    }
  }
}
