import Foundation
import TokenVaultCrypto
import TokenVaultKeyCustody

func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
  unsafe secret.withUnsafeBytes { unsafe Array($0) }
}

func text(_ secret: borrowing SecretBytes) -> String {
  String(decoding: bytes(secret), as: UTF8.self)
}

func secret(_ text: String) throws -> SecretBytes { try SecretBytes(copying: Array(text.utf8)) }

/// The error that a call threw; nil when it threw none.
func failure(of call: () throws(CustodyError) -> Void) -> CustodyError? {
  do throws(CustodyError) {
    try call()
    return nil
  } catch {
    return error
  }
}

/// Runs a blocking call on a thread of its own.
func onThread<Result: Sendable>(_ call: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: call()) }
  }
}
