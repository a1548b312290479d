extension GroupTransaction {
  /// Calls `body` with a view of every account that opens, in the order of ``forEachAccount(_:)``.
  ///
  /// Rows of large groups are opened, and viewed, on two threads. Every row is compared with its digest
  /// before its view is passed on.
  /// - Parameter progress: receives the number of rows that were read.
  /// - Returns: As ``forEachAccount(_:)``.
  package func forEachAccount<View: Sendable>(
    viewedBy view: @escaping @Sendable (ViewedAccount) -> View,
    progress: (Int) -> Void = { _ in }, _ body: (View) throws(StoreError) -> Void
  ) throws(StoreError) -> Int {
    // Where rows have no digest of their own, only the sum over all of them authenticates them.
    guard tree != nil else {
      return try forEachAccount { account throws(StoreError) in try body(view(account.viewed)) }
    }
    let opened = try outcomes(viewedBy: view, progress: progress)
    var damaged = 0
    var seen: Set<Int64> = []
    seen.reserveCapacity(opened.count * RowBatches<View>.size)
    // Not `joined()`, which copies each outcome once more.
    for outcomes in opened {
      for outcome in outcomes {
        switch outcome {
        case .opened(let row, let digest, let view):
          // Damage to a page may show a row twice.
          if try isPresent(row, digest: digest), seen.insert(row).inserted {
            try body(view)
          } else {
            damaged += 1
          }
        case .failed(.damaged): damaged += 1
        case .failed(let error): throw error
        }
      }
    }
    let missing = Int(clamping: state.accountCount) - seen.count
    return missing > 0 ? missing : damaged
  }

  /// A damaged node makes the rows below it damaged.
  private func isPresent(_ row: Int64, digest: [UInt8]) throws(StoreError) -> Bool {
    do throws(StoreError) { return try isPresent(row: row, digest: digest) } catch {
      guard case .damaged = error else { throw error }
      return false
    }
  }

  private func outcomes<View: Sendable>(
    viewedBy view: @escaping @Sendable (ViewedAccount) -> View, progress: (Int) -> Void
  ) throws(StoreError) -> [[RowBatches<View>.Outcome]] {
    let opener = RowOpener(header: header, keys: keys)
    let batches = RowBatches(view)
    var isHelped = false
    var count = 0
    do throws(StoreError) {
      let query = try database.statement(SealedAccount.selection)
      defer { query.reset() }
      var rows: [SealedAccount] = []
      while try query.step() {
        rows.append(SealedAccount(query))
        count += 1
        if count % 1_000 == 0 { progress(count) }
        guard rows.count == RowBatches<View>.size else { continue }
        // A small group would be opened before another thread has started.
        if !isHelped {
          batches.help(with: try opener.forOtherThread())
          isHelped = true
        }
        batches.add(rows, openedWith: opener)
        rows = []
      }
      batches.add(rows, openedWith: opener)
    } catch {
      _ = batches.results(openedWith: opener, isHelped: isHelped)
      throw error
    }
    return batches.results(openedWith: opener, isHelped: isHelped)
  }
}
