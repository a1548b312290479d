internal import TokenVaultCSecretService
internal import TokenVaultSystem

/// One call of libsecret, with a deadline of its own.
struct SecretServiceRequest {
  let busAddress: String?
  let allowPrompt: Bool
  let deadlineMilliseconds: Int

  /// Makes the call, and throws the error that its result stands for.
  func run(
    _ call: (inout tv_secret_request) -> tv_secret_result
  ) throws(CustodyError) {
    guard let busAddress else { throw .noBus }
    var refusal = ""
    let result = unsafe busAddress.withCString { address in
      var request = unsafe tv_secret_request()
      unsafe request.bus_address = address
      unsafe request.deadline_ms = Int32(clamping: deadlineMilliseconds)
      unsafe request.allow_prompt = allowPrompt
      let result = LongWait.secretService.during { unsafe call(&request) }
      refusal = unsafe withUnsafeBytes(of: request.refusal) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      return result
    }
    switch result {
    case TV_SECRET_OK: return
    case TV_SECRET_NO_LIBRARY: throw .libraryMissing
    case TV_SECRET_NO_BUS: throw .noBus
    case TV_SECRET_NO_SERVICE: throw .noService
    case TV_SECRET_NO_COLLECTION: throw .noDefaultCollection
    case TV_SECRET_LOCKED: throw .locked
    case TV_SECRET_DISMISSED: throw .promptDismissed
    case TV_SECRET_TIMED_OUT: throw .timedOut
    case TV_SECRET_GONE: throw .serviceGone
    default: throw .refused(name: refusal)
    }
  }
}
