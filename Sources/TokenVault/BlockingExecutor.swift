import Dispatch

/// Runs an actor's jobs one at a time on its own queue. libsecret, SQLite and scrypt block, and the
/// cooperative pool has too few threads to block any of them.
final class BlockingExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "dev.tokenvault.vault")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
