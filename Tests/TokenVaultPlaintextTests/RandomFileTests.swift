import Testing
import TokenVaultPlaintext

/// Files that are put together at random, and files that are damaged at random.
@Suite(.timeLimit(.minutes(3)))
struct RandomFileTests {
  /// The generator of Numerical Recipes: the files are the same in each run.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  /// Nil for a secret that cannot be parted from the rest.
  private func removed(_ index: Int, from file: PlaintextFile) -> [UInt8]? {
    do { return try file.removing([index]) } catch { return nil }
  }

  private func requireExact(_ file: PlaintextFile) throws {
    for index in file.secrets.indices where file.secrets[index].obstacle == nil {
      guard let rest = removed(index, from: file) else { continue }
      let cuts = try file.cuts([index])
      #expect(rest.count == file.bytes.count - cuts.reduce(0) { $0 + $1.count })
      let kept = SampleFile.file(rest, file.format).secrets.map(\.summary)
      let wanted = file.secrets.indices.filter { $0 != index }.map { file.secrets[$0] }
      // Lines behind the cut have other numbers.
      #expect(kept.map(\.[0]) == wanted.map(\.summary[0]))
      #expect(kept.map(\.[2]) == wanted.map(\.summary[2]))
    }
  }

  /// The lines of a sample in another order, some of them twice or not at all.
  @Test(arguments: SampleFile.all.indices)
  func removingFromShuffledLinesLeavesTheRest(index: Int) throws {
    let sample = SampleFile.all[index]
    var random = Generator(state: UInt64(index) + 1)
    let lines = sample.text.split(separator: "\n", omittingEmptySubsequences: false)
    for _ in 0..<200 {
      let text = (0..<Int.random(in: 1...lines.count * 2, using: &random)).map { _ in
        String(lines[Int.random(in: 0..<lines.count, using: &random)])
      }.joined(separator: Bool.random(using: &random) ? "\n" : "\r\n")
      try requireExact(SampleFile.file(Array(text.utf8), sample.format))
    }
  }

  @Test(arguments: SampleFile.all.indices)
  func damagedBytesNeverTrap(index: Int) throws {
    let sample = SampleFile.all[index]
    var random = Generator(state: UInt64(index) + 77)
    for _ in 0..<400 {
      var bytes = Array(sample.text.utf8)
      for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        default:
          bytes.insert(contentsOf: [0x22, 0x7b, 0x0a, 0xff].shuffled(using: &random), at: place)
        }
      }
      try requireExact(SampleFile.file(bytes, sample.format))
    }
  }
}
