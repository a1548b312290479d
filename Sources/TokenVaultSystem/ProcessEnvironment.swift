import Glibc

/// The environment variables of this process. A library reads them only where its caller asks for
/// the process's own environment.
package enum ProcessEnvironment {
  /// Every variable. Names and values that are not UTF-8 are repaired; of two variables with one
  /// name, the first counts, as for getenv(3).
  package static func variables() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let line = unsafe String(cString: text)
      if let equals = line.firstIndex(of: "=") {
        let name = String(line[..<equals])
        if variables[name] == nil { variables[name] = String(line[line.index(after: equals)...]) }
      }
      unsafe entry += 1
    }
    return variables
  }
}
