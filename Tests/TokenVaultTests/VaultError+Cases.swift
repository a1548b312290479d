import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel

@testable import TokenVault

extension VaultError {
  /// The name of the case.
  var name: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
  var custody: CustodyError? {
    if case .custody(let error, _) = self { error } else { nil }
  }
  var store: StoreError? {
    if case .store(let error, _) = self { error } else { nil }
  }
  var interaction: InteractionReason? {
    if case .interactionRequired(let reason, _, _) = self { reason } else { nil }
  }
  var candidates: [Account]? {
    switch self {
    case .ambiguousAccount(_, let candidates), .ambiguousCurrentAccount(let candidates, _):
      candidates
    default: nil
    }
  }
}
