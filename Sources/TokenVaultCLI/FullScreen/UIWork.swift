import Dispatch
import Synchronization
import TokenVault
import TokenVaultModel
import TokenVaultSignIn

/// Carries out the state's effects on threads of its own, and posts the results.
///
/// Reading and working have a vault and a thread each: the list stays up to date during a sign-in,
/// and a sign-in does not wait for the reading of a large group.
final class UIWork: Sendable {
  let mailbox: Mailbox
  let group: GroupName
  let groupPath: String
  private let invocation: Invocation
  private let platform: SignInPlatform
  private let reader: Mutex<GroupReader>
  private let worker: Mutex<GroupSession>
  let reading = DispatchQueue(label: "dev.tokenvault.ui.reading")
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
    reader = Mutex(GroupReader(GroupSession(settled)))
    worker = Mutex(GroupSession(settled))
  }

  /// Opens the group for reading and for working, without reading it. A group that does not exist
  /// yet is not an error.
  func open() throws {
    try reader.withLock { try $0.open() }
    try worker.withLock { _ = try $0.changeMark() }
    if invocation.options.passphraseDescriptor == nil { memory.stopAsking() }
  }

  func cancel() { cancellation.withLock { $0.cancel() } }

  func load(_ number: Int) {
    reading.async { [self] in
      do {
        let snapshot = try reader.withLock { reader in
          try reader.snapshot { mailbox.post(.read(number, $0)) }
        }
        mailbox.post(.loaded(number, snapshot))
      } catch { mailbox.post(.notLoaded(number, UIFailure(error))) }
    }
  }

  /// Posts ``UIEvent/settled`` after pauses in which writers can finish.
  func settle() {
    for pause in DirectoryWatch.pausesMilliseconds {
      reading.asyncAfter(deadline: .now() + .milliseconds(pause)) { [mailbox] in
        mailbox.post(.settled)
      }
    }
  }

  /// Starts an order; the state never starts a second one meanwhile.
  func start(_ number: Int, _ order: UIOrder) {
    let cancellation = Cancellation()
    self.cancellation.withLock { $0 = cancellation }
    working.async { [self] in
      let outcome: UIOutcome
      do {
        outcome = try worker.withLock { core in
          try UIJob(
            invocation: invocation, core: core,
            acquisition: Acquisition(core, platform: platform, cancellation) { [self] event in
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
      // A single line is the note that libqrencode is not installed.
      if lines.count > 1 { mailbox.post(.picture(number, lines)) }
    }
    // The registration of a private-use scheme prints a line over the screen.
    if case (.contacting, .signIn) = (event, order) { mailbox.post(.key(.redraw)) }
  }

  func findGroups() {
    working.async { [self] in
      do { mailbox.post(.groups(try invocation.foundGroups())) } catch {
        mailbox.post(.notFound(UIFailure(error)))
      }
    }
  }

  func prepare(_ account: Account?) {
    working.async { [self] in
      do {
        let order = try worker.withLock { try SignInOrder(account, $0, invocation) }
        mailbox.post(.prepared(order))
      } catch { mailbox.post(.notPrepared(UIFailure(error))) }
    }
  }
}
