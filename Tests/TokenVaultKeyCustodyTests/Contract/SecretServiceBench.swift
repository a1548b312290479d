import TokenVaultCrypto
import TokenVaultKeyCustody
import TokenVaultTestSupport

/// A Secret Service of its own.
final class SecretServiceBench<Program: BenchProgram>: StoringKeyCustodianBench {
  static var missing: CustodyError { .keyMissing(generation: 1) }

  static var failingStates: [FailingState<SecretServiceBench>] {
    [
      FailingState("no bus", .noBus, enter: { try $0.move(to: .noBus) }),
      FailingState("no service", .noService, enter: { try $0.move(to: .noService) }),
      FailingState(
        "no collection", .noDefaultCollection, enter: { try $0.move(to: .noCollection) }),
      FailingState(
        "locked", .locked, enter: { try $0.service.lock() }, leave: { try $0.service.unlock() }),
      FailingState(
        "frozen", .timedOut,
        enter: {
          $0.deadline = 1000
          try $0.service.freezeDaemon()
        },
        leave: {
          $0.deadline = patience
          try $0.service.thawDaemon()
          try $0.service.waitUntilUsable()
        }),
      FailingState(
        "not a key", .wrongKey, isOfThePlace: false,
        enter: {
          try $0.removeSecret()
          try $0.service.plant("not a key", as: $0.reference)
        }),
    ]
  }

  let reference = GroupKeyID.fresh()
  private var service: PrivateSecretService
  /// Longer than a busy machine takes.
  private static var patience: Int { 60_000 }
  private var deadline = 60_000

  init() throws {
    service = try PrivateSecretService(program: Program.program)
    try custodian().store(try SecretBytes.random(count: 32), as: reference)
  }

  func unusedReference() -> GroupKeyID { reference.with(generation: 2) }

  func custodian() -> SecretServiceCustodian {
    service.custodian(deadlineMilliseconds: deadline)
  }

  func removeSecret() throws { try custodian().delete(reference) }

  func replaceSecret() throws {
    try removeSecret()
    try custodian().store(try SecretBytes.random(count: 32), as: reference)
  }

  func content() throws -> [String]? {
    guard custodian().status().failure == nil else { return nil }
    return try service.attributes(group: reference)
  }

  private func move(to state: PrivateSecretService.State) throws {
    service = try PrivateSecretService(state, program: Program.program)
  }
}

/// A program whose bench is a type of its own.
protocol BenchProgram: SendableMetatype {
  static var program: SecretServiceProgram { get }
}

enum GnomeKeyring: BenchProgram { static let program = SecretServiceProgram.gnomeKeyring }
enum KWallet: BenchProgram { static let program = SecretServiceProgram.kWallet }
enum KeePassXC: BenchProgram { static let program = SecretServiceProgram.keePassXC }
