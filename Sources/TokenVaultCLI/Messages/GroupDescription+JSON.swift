import TokenVault
import TokenVaultModel

extension GroupDescription {
  func write(to writer: inout JSONWriter) { writer.object { writeFields(to: &$0) } }

  /// The fields of `group show`, with what opening the group adds.
  func write(
    _ condition: GroupCondition, keyFile: String?, now: Timestamp, to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writeFields(to: &writer)
      writer.key("keyFile")
      if let keyFile { writer.string(keyFile) } else { writer.null() }
      condition.writeFields(file?.generation, now: now, to: &writer)
    }
  }

  private func writeFields(to writer: inout JSONWriter) {
    writer.field("name", name.description)
    writer.key("title")
    if let manifest { writer.string(manifest.manifest.title) } else { writer.null() }
    writer.field("exists", file != nil)
    writer.key("custody")
    if let custody { writer.string(custody.word) } else { writer.null() }
    writer.key("generation")
    if let file { writer.number(file.generation) } else { writer.null() }
    writer.key("devicePart")
    if let devicePart { writer.string(devicePart.path) } else { writer.null() }
    writer.field("members", manifest?.manifest.members.map(\.description) ?? [])
    writer.key("deviceMode")
    if let manifest {
      writer.string(manifest.manifest.deviceMode.rawValue)
    } else {
      writer.null()
    }
    writer.key("manifest")
    if let path = manifest?.path { writer.string(path) } else { writer.null() }
  }
}
