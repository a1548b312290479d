import TokenVaultModel

/// The form in which the Azure CLI prints a result: `--output` and `--query`.
struct AzureOutput {
  private var format = "json"
  /// The one member that `--query` names.
  private var member: String?

  /// All members, as JSON.
  init() {}

  /// The form that the arguments name.
  init(_ arguments: HelperArguments) throws(HelperUsageError) {
    format = arguments.last("output") ?? "json"
    guard ["json", "jsonc", "tsv", "none"].contains(format) else {
      throw .words("ERROR: this az prints json, jsonc, tsv and none only")
    }
    member = arguments.last("query")
    guard member?.utf8.allSatisfy({ $0 == 0x5f || (0x61...0x7a).contains($0 | 0x20) }) != false
    else { throw .words("ERROR: this az takes the name of one member as --query only") }
  }

  /// The result's bytes. A member that it does not have is null, as in JMESPath.
  func bytes(of members: [JSONValue.Member]) -> [UInt8] {
    let value = member.map { JSONValue.object(members)[$0] ?? .null } ?? .object(members)
    switch format {
    case "none": return []
    case "tsv":
      let all = value.members?.map(\.value) ?? [value]
      return Array((all.map(Self.cell).joined(separator: "\t") + "\n").utf8)
    default: return value.prettyBytes
    }
  }

  private static func cell(_ value: JSONValue) -> String {
    switch value {
    case .string(let text), .number(let text): text
    case .null, .bool, .array, .object: ""
    }
  }
}
