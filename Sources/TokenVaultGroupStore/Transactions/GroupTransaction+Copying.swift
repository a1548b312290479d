extension GroupTransaction {
  /// Stores everything that another group has, under new keys of this group, which is empty.
  package func fill(from source: GroupTransaction) throws(StoreError) {
    var tags: [[UInt8]: [UInt8]] = [:]
    let damaged = try source.forEachAccount { account throws(StoreError) in
      var record = account.record
      record.stored = []
      var copy = try insert(record)
      for entry in account.record.stored {
        try store(
          entry.credential, try source.payload(of: entry, in: account), issuer: entry.issuer,
          in: &copy)
      }
      try update(&copy)
      tags[account.tag] = copy.tag
    }
    guard damaged == 0 else { throw .damaged(rows: damaged) }
    try setExtras(try source.extras())
    let past = source.state
    state.accountsEver = past.accountsEver
    state.current = past.current.flatMap { tags[$0] }
    state.principals = past.principals.mapValues { principal in
      GroupState.Principal(account: principal.account.flatMap { tags[$0] })
    }
    state.signedOutClients = past.signedOutClients
    state.importedFiles = past.importedFiles
  }
}
