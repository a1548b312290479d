import Dispatch

/// Runs an actor's jobs one by one on a thread of its own queue: libsecret, SQLite and scrypt block,
/// and the cooperative pool has no thread to spare for that.
final class BlockingExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "dev.tokenvault.vault")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
