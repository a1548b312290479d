import ArgumentParser
import TokenVault
import TokenVaultModel

struct DeviceCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Show whether this device is private or shared.",
    discussion: """
      The mode is set in /etc/tokenvault/device.json, else in the group's manifest. A shared \
      device accepts one account, and a sign-out on it applies to all tools.

      EXAMPLES
        tokenvault device
        tokenvault device --json
      """)

  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let selection = try invocation.select(needsAccount: false)
    invocation.explain(selection)
    guard invocation.knows(selection.group) else {
      throw CommandError.unknownGroup(selection.group)
    }
    let device = try DeviceInformation(invocation.configuration(selection.group))
    guard global.json else {
      let source = device.source.map(PlainText.escaped) ?? "the shipped manifest"
      return try invocation.answer("\(device.mode.rawValue), set by \(source)")
    }
    try invocation.answerJSON { writer in
      writer.object { writer in
        writer.field("mode", device.mode.rawValue)
        writer.key("source")
        if let source = device.source { writer.string(source) } else { writer.null() }
        writer.field("group", selection.group.description)
      }
    }
  }
}
