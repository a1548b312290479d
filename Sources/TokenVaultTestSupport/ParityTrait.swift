package import Testing

/// Names the rows of docs/msal-parity.md that a test proves: the test asserts on each subject.
///
/// A test of the table compares these names with the rows in both directions. If the test fails,
/// its output names the rows.
package struct ParityTrait: TestTrait {
  /// The subjects, as the first column of the table has them.
  package let subjects: [String]
  package var comments: [Comment] {
    subjects.map { Comment(rawValue: "docs/msal-parity.md: \($0)") }
  }
}

extension Trait where Self == ParityTrait {
  /// The test asserts on these subjects of docs/msal-parity.md.
  package static func parity(_ subjects: String...) -> Self { Self(subjects: subjects) }
}
