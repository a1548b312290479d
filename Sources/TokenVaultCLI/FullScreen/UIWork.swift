import Dispatch
import TokenVaultSignIn
import Synchronization
import TokenVault
import TokenVaultCrypto
import TokenVaultModel

/// Does what the state asks for, on threads of its own, and posts what came of it.
///
/// Reading and working have a vault each, so that the list is up to date while a sign-in waits.
final class UIWork: Sendable {
  let mailbox: Mailbox
  let group: GroupName
  let groupPath: String
  private let invocation: Invocation
  private let platform: SignInPlatform
  private let reader: Mutex<GroupSession>
  private let worker: Mutex<GroupSession>
  private let reading = DispatchQueue(label: "dev.tokenvault.ui.reading")
  private let working = DispatchQueue(label: "dev.tokenvault.ui.working")
  private let cancellation = Mutex(Cancellation())
  private let memory: PassphraseMemory

  init(_ invocation: Invocation, _ group: GroupName) throws {
    var configuration = try invocation.configuration(group)
    memory = PassphraseMemory(configuration.passphrase)
    configuration.passphrase = { [memory] in try memory.answer($0) }
    let settled = configuration
    self.invocation = invocation
    self.group = group
    groupPath = settled.groupPath
    platform = invocation.platform()
    mailbox = try Mailbox()
    reader = Mutex(GroupSession(settled))
    worker = Mutex(GroupSession(settled))
  }

  /// Opens the group for both; one that does not exist yet is no failure.
  func open() throws {
    try reader.withLock { _ = try AccountEnumeration($0).accounts(.all) }
    try worker.withLock { _ = try AccountEnumeration($0).accounts(.all) }
    if invocation.options.passphraseDescriptor == nil { memory.stopAsking() }
  }

  func cancel() { cancellation.withLock { $0.cancel() } }

  func load(_ number: Int) {
    reading.async { [self] in
      do {
        let snapshot = try reader.withLock { core in
          let listing = try AccountEnumeration(core).accounts(.all)
          return Snapshot(
            accounts: listing.accounts, emptyReason: listing.emptyReason,
            damagedRows: listing.damagedRows, device: try DeviceInformation(core.configuration))
        }
        mailbox.post(.loaded(number, snapshot))
      } catch { mailbox.post(.notLoaded(number, UIFailure(error))) }
    }
  }

  /// Says that writers have had the time to end what they were seen at.
  func settle() {
    for pause in DirectoryWatch.pausesMilliseconds {
      reading.asyncAfter(deadline: .now() + .milliseconds(pause)) { [mailbox] in
        mailbox.post(.settled)
      }
    }
  }

  /// Begins an order; the state never has two.
  func start(_ number: Int, _ order: UIOrder) {
    let wish = Cancellation()
    cancellation.withLock { $0 = wish }
    working.async { [self] in
      let outcome: UIOutcome
      do {
        outcome = try worker.withLock { core in
          try UIJob(
            invocation: invocation, core: core,
            acquisition: Acquisition(core, platform: platform, wish) { [self] event in
              tell(event, number, order)
            }
          ).outcome(of: order)
        }
      } catch VaultError.scopesRequired(let stored, _) {
        outcome = .scopesNeeded(stored)
      } catch VaultError.clientRequired(let stored, _) {
        outcome = .clientNeeded(stored)
      } catch { outcome = .failed(UIFailure(error)) }
      mailbox.post(.finished(number, outcome))
    }
  }

  private func tell(_ event: SignInEvent, _ number: Int, _ order: UIOrder) {
    mailbox.post(.progress(number, event))
    if case .waitingForDevice(let code) = event {
      let lines = QRCode.lines(code.verificationURIComplete ?? code.verificationURI)
      // A single line says that there is no picture.
      if lines.count > 1 { mailbox.post(.picture(number, lines)) }
    }
    // A private-use scheme's registration tells of itself, over what was drawn.
    if case (.contacting, .signIn) = (event, order) { mailbox.post(.key(.redraw)) }
  }

  func prepare(_ account: Account?) {
    reading.async { [self] in
      do {
        let order = try reader.withLock { try SignInOrder(account, $0, invocation) }
        mailbox.post(.prepared(order))
      } catch { mailbox.post(.notPrepared(UIFailure(error))) }
    }
  }
}

/// Asks for the group's passphrase once: later questions come while the screen is taken.
private final class PassphraseMemory: Sendable {
  typealias Question = @Sendable (VaultConfiguration.PassphrasePurpose) throws -> SecretBytes?

  private let question: Mutex<Question?>
  private let known = Mutex<SecretBytes?>(nil)

  init(_ question: Question?) { self.question = Mutex(question) }

  /// From now on what is not known stays so: a question would be drawn over by the screen.
  func stopAsking() { question.withLock { $0 = nil } }

  func answer(_ purpose: VaultConfiguration.PassphrasePurpose) throws -> SecretBytes? {
    try known.withLock { known in
      if known == nil, let ask = question.withLock({ $0 }) { known = try ask(purpose) }
      return try known?.clone()
    }
  }
}

extension UIFailure {
  init(_ error: any Error) {
    let failure = Failure(error)
    self.init(
      message: failure.message, next: failure.next,
      needsSignIn: failure.status == .signInNeeded,
      isCancellation: failure.status == .interrupted)
  }
}
