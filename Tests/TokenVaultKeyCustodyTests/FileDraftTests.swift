import Foundation
import Testing
import TokenVaultSystem

/// Drafts of files, of which a killed process may leave one.
@Suite(.timeLimit(.minutes(2))) struct FileDraftTests {
  private let directory = "/var/tmp/tv-\(UUID().uuidString)"
  private var path: String { directory + "/file" }

  init() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
  }

  /// The kernel gives the ID of a process that has ended to another one.
  @Test(arguments: [1, getppid(), getpid(), 4_194_305])
  func aLeftoverIsRemovedWhoeverHasItsProcessID(process: pid_t) throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    close(try SystemCalls.open("\(path).\(process).new", O_CREAT | O_WRONLY, mode: 0o600))
    #expect(FileDraft.isLeftover("\(path).\(process).new"))
    try WholeFile.write([1], to: path, replacing: true)
    #expect(try names() == ["file"])
  }

  /// A process in another container has an ID that no process has here.
  @Test func theDraftOfARunningProcessStaysWhateverItsID() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let draft = FileDraft(of: path)
    let descriptor = try draft.create()
    let foreign = "\(path).4194305.new"
    unsafe #expect(rename(draft.path, foreign) == 0)
    #expect(!FileDraft.isLeftover(foreign) && !FileDraft.removeLeftover(foreign))
    try WholeFile.write([1], to: path, replacing: true)
    #expect(try names() == ["file", "file.4194305.new"])
    close(descriptor)
    try WholeFile.write([2], to: path, replacing: true)
    #expect(try names() == ["file"])
  }

  @Test func aFileThatTokenVaultDidNotWriteIsNoLeftover() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let others = ["file.1.new", "file.x.new", "file.0.new", "file.2.new", "file.3.new"]
    for name in others.prefix(3) {
      close(try SystemCalls.open("\(directory)/\(name)", O_CREAT | O_WRONLY, mode: 0o600))
    }
    unsafe #expect(chmod(directory + "/file.1.new", 0o644) == 0)
    unsafe #expect(symlink("file.x.new", directory + "/file.2.new") == 0)
    unsafe #expect(mkfifo(directory + "/file.3.new", 0o600) == 0)
    for name in others { #expect(!FileDraft.isLeftover("\(directory)/\(name)"), "\(name)") }
    try WholeFile.write([1], to: path, replacing: true)
    #expect(try names() == (["file"] + others).sorted())
  }

  /// One that removes leftovers can look at a draft before it is locked, and after it was published.
  @Test func noWriterLosesItsDraftToOneThatRemovesLeftovers() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = path
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      let draft = FileDraft(of: path)
      for round in 0..<3_000 {
        guard index == 0 else {
          draft.removeLeftovers()
          continue
        }
        do {
          let descriptor = try draft.create()
          defer { close(descriptor) }
          try draft.publish(replacing: true)
        } catch { Issue.record("round \(round): \(error)") }
      }
    }
    #expect(try names() == ["file"])
  }
}
