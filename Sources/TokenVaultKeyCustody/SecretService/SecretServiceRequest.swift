import Glibc
internal import TokenVaultCSecretService
internal import TokenVaultSystem

/// Creates items through libsecret, which encrypts their secrets on the bus.
struct SecretServiceRequest {
  let busAddress: String?
  let patience: SecretServicePatience

  /// Each agrees on a key of its own.
  private static let attempts = 4

  /// Creates an item in the default collection, and replaces none.
  ///
  /// A refusal is tried again: libsecret leaves out the zero at the beginning of a number of its key
  /// agreement, and KWallet does not, so that it refuses 1 of 256 sessions because of the public key,
  /// and 1 of 256 items because of the shared one. Such a call has created nothing.
  /// - Returns: The error after which the item may exist all the same, so that the caller looks for it;
  ///   nil after a success. libsecret reads an item that it has created; if that answer is lost, or not one
  ///   that it understands, it reports that there is no such item.
  func store(
    _ secret: UnsafeRawBufferPointer, label: String, contentType: String,
    _ attributes: [(String, String)]
  ) throws(CustodyError) -> CustodyError? {
    let names = unsafe attributes.map { unsafe (strdup($0.0), strdup($0.1)) }
    defer {
      unsafe names.forEach {
        unsafe free($0.0)
        unsafe free($0.1)
      }
    }
    let list = unsafe names.map { unsafe tv_secret_attribute(name: $0.0, value: $0.1) }
    var attempt = 1
    while true {
      do throws(CustodyError) {
        unsafe try run { request in
          unsafe list.withUnsafeBufferPointer { list in
            unsafe tv_secret_store(
              &request, label, contentType, list.baseAddress, list.count, secret.baseAddress,
              secret.count)
          }
        }
        return nil
      } catch {
        guard case .refused(let name) = error else { throw error }
        // An error of the key agreement has no name.
        if name == "org.freedesktop.DBus.Error.UnknownMethod" { return error }
        guard attempt < Self.attempts else { throw error }
        attempt += 1
      }
    }
  }

  /// More than libsecret needs for a call: it opens the bus, and GLib some files of its own.
  private static let descriptors = 16

  /// Checks that this process can open so many more files.
  /// - Throws: `tooManyOpenFiles`.
  static func requireDescriptors(_ count: Int) throws(CustodyError) {
    do { try SystemCalls.requireDescriptors(count) } catch { throw .tooManyOpenFiles }
  }

  /// Checks that this process can start the threads of a call: two of GLib, which ends the process if
  /// it cannot start one, that of the deadline, and that of a long wait. Twice as many, because others
  /// may start some meanwhile.
  /// - Throws: `tooManyThreads`.
  static func requireThreads() throws(CustodyError) {
    guard WorkerThread.canStart(8) else { throw .tooManyThreads }
  }

  /// Loads libsecret, if this process can open enough files: a library that could not be loaded once is
  /// not looked for again.
  /// - Throws: `tooManyOpenFiles`.
  static func loadLibrary() throws(CustodyError) {
    try requireDescriptors(descriptors)
    _ = tv_secret_library()
  }

  /// Makes the call, and throws the error that its result stands for.
  private func run(
    _ call: (inout tv_secret_request) -> tv_secret_result
  ) throws(CustodyError) {
    guard let busAddress else { throw .noBus }
    try Self.requireDescriptors(Self.descriptors)
    try Self.requireThreads()
    var refusal = ""
    let result = unsafe busAddress.withCString { address in
      var request = unsafe tv_secret_request()
      unsafe request.bus_address = address
      unsafe request.deadline_ms = Int32(clamping: patience.milliseconds)
      unsafe request.allow_prompt = patience.allowPrompt
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
