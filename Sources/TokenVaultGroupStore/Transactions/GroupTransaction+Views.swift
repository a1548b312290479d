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
    let outcomes = try outcomes(viewedBy: view, progress: progress)
    if let failure = outcomes.lazy.compactMap(\.failure).first { throw failure }
    var damaged = outcomes.reduce(0) { $0 + $1.damaged }
    var seen: Set<Int64> = []
    seen.reserveCapacity(outcomes.count * RowBatches<View>.size)
    for outcome in outcomes {
      for (row, view) in outcome.views {
        // Damage to a page may show a row twice.
        if seen.insert(row).inserted { try body(view) } else { damaged += 1 }
      }
    }
    let missing = Int(clamping: state.accountCount) - seen.count
    return missing > 0 ? missing : damaged
  }

  private func outcomes<View: Sendable>(
    viewedBy view: @escaping @Sendable (ViewedAccount) -> View, progress: (Int) -> Void
  ) throws(StoreError) -> [RowBatches<View>.Outcome] {
    let opener = RowOpener(header: header, keys: keys)
    let batches = RowBatches(view)
    var isHelped: Bool?
    var count = 0
    do throws(StoreError) {
      let query = try database.statement(SealedAccount.selection)
      defer { query.reset() }
      var batch: RowBatches<View>.Batch = []
      while try query.step() {
        let row = SealedAccount(query)
        batch.append((row, try digests(around: row.id)))
        count += 1
        if count % 1_000 == 0 { progress(count) }
        guard batch.count == RowBatches<View>.size else { continue }
        // A small group would be opened before another thread has started.
        if isHelped == nil { isHelped = batches.help(with: try opener.forOtherThread()) }
        batches.add(batch, openedWith: opener)
        batch = []
      }
      batches.add(batch, openedWith: opener)
    } catch {
      _ = batches.outcomes(openedWith: opener, isHelped: isHelped == true)
      throw error
    }
    return batches.outcomes(openedWith: opener, isHelped: isHelped == true)
  }

  /// The node with the digest of a row. None of the rows below a damaged node has one.
  private func digests(around row: Int64) throws(StoreError) -> DigestNode {
    do throws(StoreError) { return try tree?.leaf(ofRow: row) ?? DigestNode() } catch {
      guard case .damaged = error else { throw error }
      return DigestNode()
    }
  }
}
