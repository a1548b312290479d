import ArgumentParser

/// A command that works with a vault. ``CommandLineProgram`` passes it the invocation.
protocol VaultCommand: ParsableCommand {
  var global: GlobalOptions { get }
  /// The option `--custody` of commands that give a key a place.
  var custodyOptions: CustodyOptions? { get }
  func run(in invocation: Invocation) throws
}

extension VaultCommand {
  var custodyOptions: CustodyOptions? { nil }
}
