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

  /// The values of those of these variables that are set and not empty, by name.
  package static func variables(_ names: [String]) -> [String: String] {
    var values: [String: String] = [:]
    for name in names {
      // An empty variable counts as unset (XDG base directory specification).
      if let value = unsafe getenv(name), unsafe value.pointee != 0 {
        values[name] = unsafe String(cString: value)
      }
    }
    return values
  }
}
