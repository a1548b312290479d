import Foundation
import Testing

/// A package in another folder depends on this one, as docs/tutorial.md says, beside swift-system and
/// a package with a C target for SQLite. Each build takes about a minute.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ConsumerTests {
  private static let consumer = Result { try ConsumerPackage() }

  @Test func aPackageBuildsWithTheCheckoutByPath() throws {
    let consumer = try Self.consumer.get()
    try consumer.buildAndRun(against: .path)
  }

  @Test func aPackageBuildsWithAVersionTag() throws {
    let consumer = try Self.consumer.get()
    try consumer.buildAndRun(against: .tag)
  }

  @Test func thePackagesOfTheProgramAreNotFetchedForTheLibrary() throws {
    let consumer = try Self.consumer.get()
    for dependency in [ConsumerPackage.Dependency.path, .tag] {
      let fetched = try consumer.fetched(against: dependency)
      #expect(fetched.contains("swift-system"))
      #expect(fetched.contains("tokenvault") == (dependency == .tag))
      #expect(!fetched.contains("swift-argument-parser"), "\(dependency)")
    }
  }

  @Test func thePackagesOfTheProgramAreFetchedByDefault() throws {
    // Otherwise the test above would pass for a reason of its own.
    let consumer = try Self.consumer.get()
    #expect(try consumer.fetched(against: .tagWithProgram).contains("swift-argument-parser"))
  }
}
