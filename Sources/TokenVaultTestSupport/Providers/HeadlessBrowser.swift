public import Foundation

/// What a browser remembers from one visit to the next, as cookies. One visit uses it at a time.
public final class BrowserProfile: Sendable {
  fileprivate let directory: URL

  /// A browser that was never used.
  public init() throws { directory = try PeerScript.directory("profile") }

  deinit { PeerScript.remove(directory) }
}

/// A real Chromium without a screen, in which a person signs in. Each visit is a process of its
/// own; all is gone with the last reference.
public final class HeadlessBrowser: Sendable {
  /// How a visit may end.
  public enum Outcome: String, Decodable, Sendable {
    /// The browser was sent back to the tool.
    case redirect
    /// The provider says that the device may go on.
    case device
    /// The provider says that the device was refused.
    case denied
    /// The provider says that nobody is signed in any more.
    case signedOut = "signed out"
  }

  /// The last page of a visit.
  public struct Page: Decodable, Sendable {
    /// What it means; nil if the visit did not come to an end.
    public let outcome: Outcome?
    /// Its address without the query, which has the code.
    public let url: String
    /// What a person reads there.
    public let text: String
  }

  private let directory: URL
  private let profile: BrowserProfile?
  /// A program that takes a URL as its last argument and ends with 0 when the person is through.
  public let command: URL

  /// Prepares a browser.
  /// - Parameters:
  ///   - user: who signs in.
  ///   - authorityFile: a private certificate authority that it trusts.
  ///   - profile: what it remembers; by default each visit begins anew.
  ///   - denies: whether the person refuses where the provider's page offers that.
  public init(
    _ user: ProviderUser, authorityFile: URL? = nil, profile: BrowserProfile? = nil,
    denies: Bool = false
  ) throws {
    self.profile = profile
    directory = try PeerScript.directory("browser")
    command = directory.appending(path: "browse")
    try Data(user.password.utf8).write(to: directory.appending(path: "password"))
    var arguments = [
      try PythonPeer().interpreter.path, PeerScript.url("browse.py").path, "--user", user.name,
      "--password-file", directory.appending(path: "password").path, "--result",
      directory.appending(path: "result").path, "--code-file",
      directory.appending(path: "code").path,
    ]
    if let authorityFile { arguments += ["--authority", authorityFile.path] }
    if let profile { arguments += ["--profile", profile.directory.path] }
    if denies { arguments.append("--deny") }
    let quoted = arguments.map { "'\($0.replacing("'", with: #"'\''"#))'" }
    let script = """
      #!/bin/sh
      export PYTHONDONTWRITEBYTECODE=1
      exec \(quoted.joined(separator: " ")) "$@"

      """
    try Data(script.utf8).write(to: command)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: command.path)
  }

  deinit { PeerScript.remove(directory) }

  /// The file with the code that the person types where a device's page asks for it.
  public var codeFile: URL { directory.appending(path: "code") }

  /// Opens a URL and goes to the end of the pages.
  public func visit(_ url: String) throws -> Page {
    let process = Process()
    process.executableURL = command
    process.arguments = [url]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return try lastPage()
  }

  /// The last page of the latest visit, whoever ran the command; throws if there was none.
  public func lastPage() throws -> Page {
    let result = directory.appending(path: "result")
    return try JSONDecoder().decode(Page.self, from: Data(contentsOf: result))
  }

  /// Waits for the end of a visit that somebody else began, and takes its last page: the next call
  /// is for the next visit. Throws if there is none within five minutes.
  public func nextPage() throws -> Page {
    let end = ContinuousClock.now + .seconds(300)
    let result = directory.appending(path: "result")
    while !FileManager.default.fileExists(atPath: result.path), ContinuousClock.now < end {
      usleep(20_000)
    }
    let page = try lastPage()
    try FileManager.default.removeItem(at: result)
    return page
  }
}
