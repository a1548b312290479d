import TokenVault
import TokenVaultCrypto
import TokenVaultSystem

/// Reads secrets from a prompt or a file descriptor.
enum PassphraseReading {
  /// The longest passphrase: 4 KiB.
  static let limit = 4096

  /// Reads a passphrase from the file descriptor that the options name, or prompts on the terminal,
  /// twice for a new one. Nil if neither is possible.
  static func read(
    _ purpose: VaultConfiguration.PassphrasePurpose, _ options: Invocation.Options
  ) throws -> SecretBytes? {
    func accepted(_ strength: PassphraseStrength) throws {
      // An empty one is never accepted, and has an error of its own.
      guard options.acceptsWeakPassphrase || strength.isAcceptable || strength.characters == 0
      else { throw CommandError.weakPassphrase }
    }
    if let descriptor = options.passphraseDescriptor {
      // A script has only the one that was wrong.
      if case .openAgain = purpose { return nil }
      guard let line = try line(of: descriptor) else { return nil }
      if case .create = purpose { try accepted(PassphraseStrength(line)) }
      return line
    }
    guard options.mayAsk else { return nil }
    switch purpose {
    case .open(let group): return try hidden("Passphrase for \(group): ")
    case .openAgain(let group):
      return try hidden("Wrong passphrase. Passphrase for \(group): ")
    case .create(let group):
      guard let first = try hidden("New passphrase for \(group): ") else { return nil }
      let strength = PassphraseStrength(first)
      try accepted(strength)
      let prompt = "Strength: \(strength.text)\nRepeat the passphrase: "
      guard let second = try hidden(prompt) else { return nil }
      guard first.isEqual(to: second) else { throw CommandError.passphrasesDiffer }
      return first
    }
  }

  /// Prompts for one line without echo. Nil without a terminal. A line that does not fit is refused
  /// and never cut.
  static func hidden(_ prompt: String) throws -> SecretBytes? {
    guard let terminal = RawTerminal() else { return nil }
    terminal.write(prompt)
    var typed = try SecretBytes(count: limit)
    var count = 0
    var isTooLong = false
    defer {
      terminal.write("\n")
      terminal.restore()
    }
    while true {
      switch try terminal.key() {
      case .enter:
        guard !isTooLong else {
          throw CommandError.secretTooLarge("The typed line", limit: limit)
        }
        return try prefix(typed, count)
      case .escape: throw CommandError.interrupted
      // A whole character, which may be several bytes in UTF-8.
      case .erase: count = unsafe typed.withUnsafeBytes { unsafe lastCharacter($0.prefix(count)) }
      case .eraseLine: (count, isTooLong) = (0, false)
      case .character(let byte) where byte >= 0x20:
        guard count < limit else {
          isTooLong = true
          continue
        }
        unsafe typed.withUnsafeMutableBytes { unsafe $0[count] = byte }
        count += 1
      case .character, .up, .down, .none: break
      }
    }
  }

  /// Reads one line, byte by byte because the next line may be another passphrase. Nil at the end.
  /// - Parameter option: The option that named the descriptor, for errors.
  static func line(
    of descriptor: Int32, option: String = "--passphrase-fd"
  ) throws -> SecretBytes? {
    var read = try SecretBytes(count: limit)
    var count = 0
    while true {
      var byte: UInt8 = 0
      let got: Int
      do throws(SystemCallError) {
        got = unsafe try withUnsafeMutableBytes(of: &byte) { buffer throws(SystemCallError) in
          unsafe try SystemCalls.read(descriptor, into: buffer)
        }
      } catch {
        throw CommandError.input(path: "\(option) \(descriptor)", errno: error.errno)
      }
      if got == 0, count == 0 { return nil }
      if got == 0 || byte == UInt8(ascii: "\n") { return try prefix(read, count) }
      guard count < limit else {
        throw CommandError.secretTooLarge("\(option) \(descriptor)", limit: limit)
      }
      unsafe read.withUnsafeMutableBytes { unsafe $0[count] = byte }
      count += 1
    }
  }

  private static func prefix(_ bytes: borrowing SecretBytes, _ count: Int) throws -> SecretBytes {
    unsafe try bytes.withUnsafeBytes {
      unsafe try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0.prefix(count)))
    }
  }

  private static func lastCharacter(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    var count = unsafe bytes.count
    while count > 0 {
      count -= 1
      if unsafe bytes[count] & 0xc0 != 0x80 { break }
    }
    return count
  }
}
