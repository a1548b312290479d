import ArgumentParser

/// A command that works with a vault. ``CommandLineProgram`` passes it the invocation.
protocol VaultCommand: ParsableCommand {
  var global: GlobalOptions { get }
  func run(in invocation: Invocation) throws
}
