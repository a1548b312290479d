import TokenVault
import TokenVaultModel

extension GroupDescription {
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
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
}
