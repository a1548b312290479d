import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

@Suite(.timeLimit(.minutes(5))) struct CodecTests {
  private var random = SeededGenerator(seed: 1)

  private mutating func number() -> UInt64 {
    UInt64.random(in: 0...UInt64.max, using: &random) >> UInt64.random(in: 0...63, using: &random)
  }

  private mutating func data() -> [UInt8] {
    (0..<Int.random(in: 0...300, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
  }

  private mutating func text() -> String {
    String(
      String.UnicodeScalarView(
        (0..<Int.random(in: 0...20, using: &random)).compactMap { _ in
          Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random))
        }))
  }

  @Test mutating func encodedValuesAreReadBackToTheLastByte() throws {
    for _ in 0..<2000 {
      let (number, signed, data, text) = (
        number(), Int64(bitPattern: number()), data(), text()
      )
      var writer = ByteWriter()
      writer.number(number)
      writer.signed(signed)
      writer.data(data)
      writer.text(text)
      writer.list([number, 1]) { $0.number($1) }
      var reader = ByteReader(writer.bytes)
      #expect(try reader.number() == number)
      #expect(try reader.signed() == signed)
      #expect(try reader.data() == data)
      #expect(try Array(reader.text().utf8) == Array(text.utf8))
      let list = try reader.list { reader throws(StoreError) in try reader.number() }
      #expect(list == [number, 1])
      try reader.end()
      let cut = ByteReader(Array(writer.bytes.dropLast()))
      #expect(throws: StoreError.damaged(rows: nil)) { try Self.readAll(cut) }
      let long = ByteReader(writer.bytes + [0])
      #expect(throws: StoreError.damaged(rows: nil)) { try Self.readAll(long) }
    }
  }

  private static func readAll(_ reader: ByteReader) throws(StoreError) {
    var reader = reader
    _ = try reader.number()
    _ = try reader.signed()
    _ = try reader.data()
    _ = try reader.text()
    _ = try reader.list { reader throws(StoreError) in try reader.number() }
    try reader.end()
  }

  @Test mutating func aNumberHasOneEncoding() throws {
    for edge in [0, 1, 127, 128, 16383, 16384, UInt64.max >> 1, UInt64.max] {
      var writer = ByteWriter()
      writer.number(edge)
      var reader = ByteReader(writer.bytes)
      #expect(try reader.number() == edge)
    }
    // Whenever bytes decode to a number, encoding that number gives the same bytes.
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 1...11, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random) | (Bool.random(using: &random) ? 0x80 : 0)
      }
      var reader = ByteReader(bytes)
      do {
        let value = try reader.number()
        var writer = ByteWriter()
        writer.number(value)
        #expect(bytes.starts(with: writer.bytes))
      } catch { #expect(error == .damaged(rows: nil)) }
    }
    for overlong in [[0x80, 0], [0x81, 0x80, 0], [UInt8](repeating: 0xff, count: 9) + [2]] {
      var reader = ByteReader(overlong)
      #expect(throws: StoreError.damaged(rows: nil)) { try reader.number() }
    }
  }

  @Test func aLengthBeyondTheEndIsDamageAndAllocatesNothing() {
    for bytes in [[0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], [5, 1, 2], []] as [[UInt8]] {
      var reader = ByteReader(bytes)
      #expect(throws: StoreError.damaged(rows: nil)) { try reader.data() }
      reader = ByteReader(bytes)
      #expect(throws: StoreError.damaged(rows: nil)) { try reader.text() }
      reader = ByteReader(bytes)
      #expect(throws: StoreError.damaged(rows: nil)) {
        try reader.list { reader throws(StoreError) in try reader.number() }
      }
    }
    var reader = ByteReader([2, 0xc3, 0x28])
    #expect(throws: StoreError.damaged(rows: nil)) { try reader.text() }
  }

  private mutating func time() -> Timestamp? {
    Bool.random(using: &random) ? Timestamp(epochSeconds: Int64(bitPattern: number())) : nil
  }

  private mutating func record() -> AccountRecord {
    let types: [AuthorityType] = [.entra, .adfs, .oidc, .secret, .other("x")]
    var record = AccountRecord(
      homeAccountID: text(), environment: text(),
      authorityType: types[Int.random(in: 0..<types.count, using: &random)], orphanClient: text(),
      issuer: text())
    record.alias = text()
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      record.profiles.append(
        .init(
          tenantID: text(), localAccountID: text(), username: text(), environment: text(),
          claimsJSON: data(), extraJSON: data()))
      record.clients[text()] = Bool.random(using: &random) ? .signedIn : .signedOut
    }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let kinds: [Credential.Kind] = [
        .accessToken, .refreshToken, .idToken, .secret, .other("PrimaryRefreshToken"),
      ]
      var credential = Credential(
        kind: kinds[Int.random(in: 0..<kinds.count, using: &random)], clientID: text(),
        environment: text())
      credential.realm = text()
      credential.target = text()
      credential.tokenType = text()
      credential.familyID = text()
      credential.keyID = text()
      credential.requestedClaims = text()
      credential.userAssertionHash = text()
      credential.cachedAt = time()
      credential.expiresOn = time()
      credential.extendedExpiresOn = time()
      credential.refreshOn = time()
      credential.lastModified = time()
      record.stored.append(
        .init(credential: credential, row: Int64(bitPattern: number()), seal: data()))
      if Bool.random(using: &random) {
        record.stored[record.stored.count - 1].issuer = .init(origin: text(), name: text())
      }
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      record.authorities[text()] = text()
      record.throttleEntries.append(
        .init(
          request: data(), until: time() ?? Timestamp(epochSeconds: 0), code: text(),
          suberror: text()))
    }
    return record
  }

  @Test func anAccountRecordWithoutSignInsHasVersion1AndNoOtherEncoding() throws {
    var record = AccountRecord(homeAccountID: "a", environment: "b", authorityType: .entra)
    let first = record.encoded()
    #expect(first.first == 1)
    // The same record as version 2 would be a second encoding of the same value.
    #expect(throws: StoreError.damaged(rows: nil)) {
      try AccountRecord(encoded: [2] + first.dropFirst() + [0, 0])
    }
    record.authorities["client"] = "https://login.example/"
    #expect(record.encoded().first == 2)
    #expect(throws: StoreError.damaged(rows: nil)) {
      try AccountRecord(encoded: [3] + record.encoded().dropFirst())
    }
  }

  @Test func anAccountRecordWithAnIssuerHasVersion3AndNoOtherEncoding() throws {
    var record = AccountRecord(homeAccountID: "a", environment: "b", authorityType: .entra)
    let credential = Credential(kind: .refreshToken, clientID: "client", environment: "b")
    record.stored = [.init(credential: credential, row: 1, seal: [])]
    let without = record.encoded()
    #expect(without.first == 1)
    record.bindRefreshTokens { _ in .init(origin: "https://b", name: "") }
    let bytes = record.encoded()
    #expect(bytes.first == 3)
    #expect(try AccountRecord(encoded: bytes) == record)
    // A second issuer for the same credential, or one for a credential that does not exist.
    let list: [UInt8] = [0, 9] + Array("https://b".utf8) + [0]
    #expect(Array(bytes.suffix(list.count + 1)) == [1] + list)
    let wrongs: [[UInt8]] = [[2] + list + list, [1, 1] + Array(list.dropFirst()), [0]]
    for wrong in wrongs {
      #expect(throws: StoreError.damaged(rows: nil)) {
        try AccountRecord(encoded: Array(bytes.dropLast(list.count + 1)) + wrong)
      }
    }
  }

  @Test func anAccountRecordOfAnIssuerHasVersion4AndNoOtherEncoding() throws {
    let record = AccountRecord(
      homeAccountID: "a", environment: "b", authorityType: .oidc, issuer: "https://b/")
    let bytes = record.encoded()
    #expect(bytes.first == 4)
    #expect(bytes.suffix(10) == [9] + Array("https://b".utf8))
    #expect(try AccountRecord(encoded: bytes) == record)
    for wrong in [bytes.dropLast(10) + [0], [3] + bytes.dropFirst(), [5] + bytes.dropFirst()] {
      #expect(throws: StoreError.damaged(rows: nil)) { try AccountRecord(encoded: Array(wrong)) }
    }
    // Microsoft's accounts have none.
    let other = AccountRecord(
      homeAccountID: "a", environment: "b", authorityType: .entra, issuer: "https://b")
    #expect(other.encoded().first == 1)
  }

  @Test mutating func anAccountRecordIsReadAsItWasWritten() throws {
    for _ in 0..<300 {
      let record = record()
      let bytes = record.encoded()
      #expect(try AccountRecord(encoded: bytes) == record)
      for cut in [0, 1, bytes.count / 2, bytes.count - 1] {
        #expect(throws: StoreError.damaged(rows: nil)) {
          try AccountRecord(encoded: Array(bytes[..<cut]))
        }
      }
      #expect(throws: StoreError.damaged(rows: nil)) { try AccountRecord(encoded: bytes + [0]) }
    }
  }

  @Test mutating func theStateIsReadAsItWasWritten() throws {
    for round in 0..<300 {
      let version = UInt32(1 + round % 2)
      var state = GroupState()
      state.changes = number()
      state.accountCount = number()
      state.accountsEver = UInt64.random(in: 0...2, using: &random)
      if Bool.random(using: &random) { state.signedOutClients = [text(), text()] }
      if Bool.random(using: &random) { state.importedFiles = [text(), text()] }
      if version == 1 {
        state.rows.add(Array((data() + [UInt8](repeating: 1, count: 32)).prefix(32)))
      } else {
        state.root.level = Int.random(in: 0...RowTree.highestLevel, using: &random)
        state.root.last = Int64(number() % (1 << (6 * UInt64(state.root.level + 1))))
        state.root.node[Int.random(in: 0..<64, using: &random)] = try RandomBytes.make(16)
        if Bool.random(using: &random) { state.seals = [6: data(), 9: data()] }
      }
      state.current = Bool.random(using: &random) ? [1, 2] : nil
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let tag = data()
        state.principals[text()] = .init(account: tag.isEmpty ? nil : tag)
        state.pendingDeletions.append(number())
        state.deletionChecks.append(.init(generation: number() % (1 << 32), boot: text()))
        if version == 1 { state.slotKeys[Int64.random(in: 4...5, using: &random)] = data() }
      }
      let bytes = state.encoded(version: version)
      #expect(try GroupState(encoded: bytes) == state)
      for cut in [0, bytes.count / 2, bytes.count - 1] {
        #expect(throws: StoreError.damaged(rows: nil)) {
          try GroupState(encoded: Array(bytes[..<cut]))
        }
      }
    }
  }

  @Test func aStateWithAnImpossibleRootIsDamage() throws {
    for (last, level) in [(64, 0), (4096, 1), (1 << 36, 5), (1, 6)] as [(Int64, Int)] {
      var state = GroupState()
      (state.root.last, state.root.level) = (last, level)
      #expect(throws: StoreError.damaged(rows: nil)) { try GroupState(encoded: state.encoded()) }
    }
  }

  @Test func aStateWithoutAPastHasVersion1AndNoOtherEncoding() throws {
    for (count, ever) in [(0, 0), (1, 1), (2, 2), (7, 2)] as [(UInt64, UInt64)] {
      var state = GroupState()
      (state.accountCount, state.accountsEver) = (count, ever)
      #expect(state.encoded(version: 1).first == 1)
      let other = [2] + state.encoded(version: 1).dropFirst() + [UInt8(ever), 0, 0]
      #expect(throws: StoreError.damaged(rows: nil)) { try GroupState(encoded: other) }
      #expect(state.encoded().first == 3)
    }
    for (count, ever) in [(0, 1), (0, 2), (1, 2), (2, 1)] as [(UInt64, UInt64)] {
      var state = GroupState()
      (state.accountCount, state.accountsEver) = (count, ever)
      #expect(state.encoded(version: 1).first == 2)
      #expect(try GroupState(encoded: state.encoded(version: 1)) == state)
    }
  }

  @Test mutating func decodingArbitraryBytesNeverCrashes() throws {
    for _ in 0..<300 {
      for encoded in [record().encoded(), GroupState().encoded()] {
        var bytes = encoded
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
            in: 0...255, using: &random)
        }
        for decode in [
          { (bytes: [UInt8]) in _ = try AccountRecord(encoded: bytes) },
          { bytes in _ = try GroupState(encoded: bytes) },
          { bytes in _ = try KeySlot(encoded: bytes) },
          { bytes in _ = try GroupHeader(bytes) }, { bytes in _ = try Padding.unpad(bytes) },
        ] {
          do { try decode(bytes) } catch { #expect(error as? StoreError == .damaged(rows: nil)) }
        }
      }
    }
  }

  @Test mutating func aSlotIsReadAsItWasWritten() throws {
    for _ in 0..<300 {
      var slot = KeySlot(
        parameters: .init(
          salt: data(), logN: 1 + number() % 17, r: 1 + number() % 32, p: 1 + number() % 16),
        sealedKey: data())
      slot.parameters.steps = number() % (1 << 20)
      #expect(try KeySlot(encoded: slot.encoded()) == slot)
      #expect(throws: StoreError.damaged(rows: nil)) {
        try KeySlot(encoded: slot.encoded() + [0])
      }
    }
  }

  @Test mutating func aHeaderIsReadAsItWasWrittenAndAnyChangedByteIsDamage() throws {
    for custody in [GroupHeader.Custody.secretService, .passphrase, .keyFile] {
      let header = GroupHeader(
        groupID: try RandomBytes.make(16), generation: 1 + number() % (1 << 32), custody: custody)
      let bytes = try header.encoded()
      #expect(bytes.count == 65)
      #expect(try GroupHeader(bytes) == header)
      for index in bytes.indices {
        var damaged = bytes
        damaged[index] ^= 1
        #expect(throws: StoreError.damaged(rows: nil)) { try GroupHeader(damaged) }
        #expect(throws: StoreError.damaged(rows: nil)) {
          try GroupHeader(Array(bytes[..<index]))
        }
      }
    }
    var newer = Array("TKVT".utf8) + [0, 0, 0, 3] + [UInt8](repeating: 0, count: 40)
    newer += try Digest.sha256(newer)
    #expect(throws: StoreError.unsupportedVersion(3)) { try GroupHeader(newer) }
  }

  @Test func plaintextIsPaddedToItsSizeClass() throws {
    for (count, size) in [
      (0, 256), (252, 256), (253, 512), (508, 512), (509, 1024), (1020, 1024), (1021, 2048),
      (2044, 2048), (2045, 4096), (4092, 4096), (4093, 8192), (1 << 20, 1_052_672),
    ] {
      let plain = [UInt8](repeating: 7, count: count)
      let padded = try Padding.pad(plain)
      #expect(padded.count == size)
      #expect(try Padding.unpad(padded) == plain)
    }
    #expect(throws: StoreError.tooLarge(limit: 1 << 20)) {
      try Padding.pad([UInt8](repeating: 7, count: 1 << 20 + 1))
    }
    for wrong in [[], [0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0, 1], [255, 255, 255, 255, 0]] {
      #expect(throws: StoreError.damaged(rows: nil)) { try Padding.unpad(wrong.map(UInt8.init)) }
    }
  }

  @Test mutating func theRowSumIgnoresOrderAndRevertsWithEachRemoval() throws {
    for _ in 0..<500 {
      let digests = try (0..<5).map { _ in try RandomBytes.make(32) }
      var sum = RowSum()
      for digest in digests { sum.add(digest) }
      var shuffled = RowSum()
      for digest in digests.shuffled(using: &random) { shuffled.add(digest) }
      #expect(sum == shuffled)
      #expect(try RowSum(words: sum.words) == sum)
      for digest in digests.shuffled(using: &random) { sum.subtract(digest) }
      #expect(sum == RowSum())
      shuffled.subtract(digests[0])
      #expect(shuffled != sum)
    }
    // Carries propagate through every word: -1 + 1 = 0 modulo 2^256.
    var sum = RowSum()
    let one = [UInt8](repeating: 0, count: 7) + [1] + [UInt8](repeating: 0, count: 24)
    sum.subtract(one)
    #expect(sum.words == [.max, .max, .max, .max])
    sum.add(one)
    #expect(sum == RowSum())
    #expect(throws: StoreError.damaged(rows: nil)) { try RowSum(words: [1, 2, 3]) }
  }

  @Test func associatedDataDiffersForEveryPlace() {
    let group = [UInt8](repeating: 1, count: 16)
    let places = [
      Format.associatedData(group: group, kind: .state),
      Format.associatedData(group: group, kind: .extras),
      Format.associatedData(group: group, account: [1], kind: .accountRecord),
      Format.associatedData(group: group, account: [1], kind: .accountRecord, row: [1]),
      Format.associatedData(group: group, account: [1, 1], kind: .accountRecord),
      Format.associatedData(group: group, account: [], kind: .accountRecord, row: [1]),
      Format.associatedData(group: Array(group.dropLast()), account: [1], kind: .accountRecord),
    ]
    #expect(Set(places).count == places.count)
  }
}
