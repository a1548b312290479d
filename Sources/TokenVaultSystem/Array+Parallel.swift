extension Range<Int> {
  /// Both halves of the range, or the whole range if it has fewer numbers than this: another thread takes
  /// longer to start than a small part of the work.
  package func halves(ofAtLeast fewest: Int) -> [Range<Int>] {
    guard count >= fewest, count > 1 else { return [self] }
    let middle = lowerBound + count / 2
    return [lowerBound..<middle, middle..<upperBound]
  }
}

extension Array where Element: Sendable {
  /// Calls `work` with each element at the same time, on as many threads as there are elements; this thread
  /// has the first one.
  /// - Returns: The results in the order of the elements.
  package func inParallel<Part: Sendable>(
    _ work: @escaping @Sendable (Element) -> Part
  ) -> [Part] {
    guard let first else { return [] }
    let others = dropFirst().map { element in PendingResult<Part, Never> { work(element) } }
    return [work(first)] + others.map { $0.value() }
  }
}
