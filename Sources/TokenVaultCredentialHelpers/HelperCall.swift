/// One call of a helper by a tool: everything that a protocol's request may stand in.
package struct HelperCall: Sendable {
  /// The arguments after the name of the helper.
  package let arguments: [String]
  /// The variables that ``HelperProtocol/variables`` names, if they are set.
  package let environment: [String: String]
  /// Standard input, up to ``inputLimit`` bytes; empty if the protocol reads none.
  package let input: [UInt8]

  /// The largest request: 1 MiB. Git's longest line has 65,535 bytes.
  package static let inputLimit = 1 << 20

  /// A call with these arguments, variables and input.
  package init(
    _ arguments: [String], environment: [String: String] = [:], input: [UInt8] = []
  ) {
    self.arguments = arguments
    self.environment = environment
    self.input = input
  }
}
