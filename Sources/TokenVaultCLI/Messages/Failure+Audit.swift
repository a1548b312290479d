extension Failure {
  /// A file whose name does not tell its format.
  static func unknownAuditFile(_ path: String) -> Failure {
    Failure(
      .usage, "The name \(quoted(path)) is not that of a file in which a tool keeps tokens.",
      next: "tokenvault audit DIRECTORY", code: "unknownFile")
  }
}
