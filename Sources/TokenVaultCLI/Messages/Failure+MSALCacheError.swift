import TokenVault

// MARK: Another tool's token cache

extension Failure {
  init(_ error: MSALCacheError) {
    func place(_ member: MSALCacheError.Member, _ index: Int) -> String {
      member == .other ? "an entity" : "entity \(index) of \(member.rawValue)"
    }
    func field(_ field: MSALCacheError.Field) -> String {
      field == .entity ? "" : ", field \(field.rawValue)"
    }
    let text: String =
      switch error {
      case .tooLarge(let limit): "it is larger than \(limit >> 20) MiB"
      case .notJSON(let offset): "it is not valid JSON at byte \(offset)"
      case .tooDeep(let limit): "its values are nested more than \(limit) levels deep"
      case .tooMany(let limit): "it has more than \(limit) values"
      case .notACache: "it is JSON, but not a token cache"
      case .badMember(let member): "\(member.rawValue) is not an object of entities"
      case .badEntity(let member, let index, let name, let problem):
        "\(place(member, index))\(field(name)): \(Self.text(problem))"
      case .secretTooLarge(let member, let index, let limit):
        "the secret of \(place(member, index)) is larger than \(limit >> 20) MiB"
      case .invalidText(let member, let index, let name):
        "\(place(member, index))\(field(name)): it contains a control character or is too long"
      }
    self.init(
      .damaged, "The cache cannot be read: \(text). Nothing was imported.",
      next: Self.again("with another file"))
  }

  private static func text(_ problem: MSALCacheError.Problem) -> String {
    switch problem {
    case .missing: "missing"
    case .wrongType: "wrong type"
    case .notATime: "not a time"
    }
  }
}
