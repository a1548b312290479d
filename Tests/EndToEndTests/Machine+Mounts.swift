extension Machine {
  /// Runs a bash script with permission to mount, in mounts of its own.
  func runMounting(_ script: String, environment: [String: String?] = [:]) throws -> RunResult {
    let ran = try run(["/usr/bin/unshare", "-rm", "bash", "-c", script], environment: environment)
    guard ran.errors.hasPrefix("unshare:") else { return ran }
    // A kernel that lets only the administrator create namespaces.
    return try run(
      ["/usr/bin/sudo", "-nE", "/usr/bin/unshare", "-m", "bash", "-c", script],
      environment: environment)
  }
}
