import Glibc

/// Whether a debugger may attach to this process, and a core file may be written.
enum Debugging {
  /// True only in a debug build whose environment has `TOKENVAULT_DEBUGGABLE=1`. A release build
  /// has no code that looks for the variable, so the environment cannot weaken it.
  static var isAllowed: Bool {
    #if DEBUG
      guard let value = unsafe getenv("TOKENVAULT_DEBUGGABLE") else { return false }
      return unsafe strcmp(value, "1") == 0
    #else
      return false
    #endif
  }
}
