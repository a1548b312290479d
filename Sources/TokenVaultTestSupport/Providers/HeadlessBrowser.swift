package import Foundation

/// A headless Chromium in which a user signs in. Each visit is a process. Releasing the last
/// reference removes the files.
package final class HeadlessBrowser: Sendable {
  /// How a visit ends.
  package enum Outcome: String, Decodable, Sendable {
    /// The provider redirected the browser to the tool.
    case redirect
    /// The provider shows that the device was authorized.
    case device
    /// The provider shows that the device was denied.
    case denied
    /// The provider shows that the user is signed out.
    case signedOut = "signed out"
  }

  /// The last page of a visit.
  package struct Page: Decodable, Sendable {
    /// How the visit ended; nil if it did not reach an end.
    package let outcome: Outcome?
    /// Its address without the query, which contains the code.
    package let url: String
    /// The visible text.
    package let text: String
  }

  private let directory: URL
  private let profile: BrowserProfile?
  /// A program that takes a URL as its last argument and exits with 0 if the visit reached an end.
  package let command: URL

  /// Prepares a browser.
  /// - Parameters:
  ///   - user: the user who signs in.
  ///   - authorityFile: the certificate of a private authority to trust.
  ///   - profile: the profile of all visits; nil for an empty one each time.
  ///   - denies: whether the user refuses if a page offers that.
  package init(
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

  /// The file with the user code to type into a page that asks for it.
  package var codeFile: URL { directory.appending(path: "code") }

  /// Opens a URL and answers the pages until the visit ends.
  package func visit(_ url: String) throws -> Page {
    let process = Process()
    process.executableURL = command
    process.arguments = [url]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return try lastPage()
  }

  /// The last page of the latest visit, including visits by other processes that ran ``command``.
  /// Throws if there was none.
  package func lastPage() throws -> Page {
    let result = directory.appending(path: "result")
    return try JSONDecoder().decode(Page.self, from: Data(contentsOf: result))
  }

  /// Waits until a visit by another process that ran ``command`` ends, and returns its last page.
  /// The next call waits for the next visit. Throws if there is none within five minutes.
  package func nextPage() throws -> Page {
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
