import TokenVaultKeyCustody

/// A passphrase that the user types.
final class PassphraseBench: DerivingKeyCustodianBench {
  static let missing = CustodyError.passphraseRequired

  static var failingStates: [FailingState<PassphraseBench>] {
    [
      FailingState(
        "a slot without a cost", .crypto, isOfThePlace: false,
        enter: { $0.reference = KeySlotParameters(salt: $0.reference.salt) })
    ]
  }

  private(set) var reference: KeySlotParameters
  private var typed = "correct horse"

  init() throws { reference = try PassphraseCustodian.newSlotParameters() }

  func unusedReference() throws -> KeySlotParameters {
    try PassphraseCustodian.newSlotParameters()
  }

  func custodian() throws -> PassphraseCustodian { PassphraseCustodian(try secret(typed)) }

  func removeSecret() { typed = "" }

  func replaceSecret() { typed = "correct horsf" }

  func content() -> [String]? { [typed] }
}
