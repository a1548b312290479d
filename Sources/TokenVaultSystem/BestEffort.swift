/// Runs work whose failure must not change the outcome of the caller: a cleanup, a hint, a cache.
/// Any error is dropped.
///
/// Use it where a `do` with an empty `catch` would stand; that form is refused by
/// `Tests/ArchitectureTests`.
/// - Parameter reason: why dropping the error is right: which later step reports the same failure,
///   or what makes the work optional. It documents the call and costs nothing at run time.
package func bestEffort(_ reason: StaticString, _ body: () throws -> Void) {
  do { try body() } catch {}
}
