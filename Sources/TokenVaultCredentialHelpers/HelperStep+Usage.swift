extension HelperStep {
  /// The step that `read` finds in the arguments and variables of a call, or the answer that says
  /// what is wrong with them.
  static func reading(
    status: Int32 = 64, _ read: () throws(HelperUsageError) -> HelperStep
  ) -> HelperStep {
    do { return try read() } catch {
      return .answered(HelperAnswer(message: error.message, status: status))
    }
  }
}
