import TokenVaultKeyCustody

/// A custodian with a place of its own, which the contract tests put into every state.
protocol KeyCustodianBench: AnyObject, SendableMetatype {
  associatedtype Custodian: KeyCustodian

  /// An error of the missing secret, which no other state may share.
  static var missing: CustodyError { get }
  /// The other states in which a key cannot be retrieved.
  static var failingStates: [FailingState<Self>] { get }

  /// A place with a secret in it.
  init() throws

  /// The reference of the key that the place holds or derives.
  var reference: Custodian.Reference { get }
  /// A reference that was never used before.
  func unusedReference() throws -> Custodian.Reference
  /// A new custodian, which meets the place as it is.
  func custodian() throws -> Custodian
  /// Removes the secret.
  func removeSecret() throws
  /// Puts another secret in the place of the one that was there.
  func replaceSecret() throws
  /// Everything that the place holds, in a form that changes with it; nil while the place cannot be
  /// looked into.
  func content() throws -> [String]?
  /// The error without the parts that differ from bench to bench.
  func comparable(_ error: CustodyError) -> CustodyError
}

extension KeyCustodianBench {
  func comparable(_ error: CustodyError) -> CustodyError { error }

  /// The error of retrieving the key; nil when it is retrieved.
  func failure() throws -> CustodyError? {
    let custodian = try custodian()
    return TokenVaultKeyCustodyTests.failure { () throws(CustodyError) in
      _ = try custodian.key(reference)
    }.map(comparable)
  }

  /// The key.
  func key() throws -> [UInt8] { bytes(try custodian().key(reference)) }
}

/// A bench of a custodian that stores keys.
protocol StoringKeyCustodianBench: KeyCustodianBench where Custodian: StoringKeyCustodian {}

/// A bench of a custodian that derives keys.
protocol DerivingKeyCustodianBench: KeyCustodianBench where Custodian: DerivingKeyCustodian {}

/// A state of a place in which a key cannot be retrieved.
struct FailingState<Bench: KeyCustodianBench> {
  let name: String
  let error: CustodyError
  /// Whether it is a state of the whole place, in which no call succeeds, and not of one key.
  let isOfThePlace: Bool
  let enter: (Bench) throws -> Void
  /// Ends the state; nil where nothing does.
  let leave: ((Bench) throws -> Void)?

  init(
    _ name: String, _ error: CustodyError, isOfThePlace: Bool = true,
    enter: @escaping (Bench) throws -> Void, leave: ((Bench) throws -> Void)? = nil
  ) {
    self.name = name
    self.error = error
    self.isOfThePlace = isOfThePlace
    self.enter = enter
    self.leave = leave
  }
}
