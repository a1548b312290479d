import TokenVault
import TokenVaultModel

extension UIState {
  mutating func take(_ key: Key) -> [UIEffect] {
    switch key {
    case .interrupt: return leave(.interrupted)
    case .suspend: return [.suspend]
    case .redraw: return [.redraw]
    default: break
    }
    // Keys for an invisible page are ignored, but leaving is always possible.
    guard !isTooSmall else { return key == .character("q") ? leave(.done) : [] }
    switch page {
    case .accounts: return takeInList(key)
    case .text(let text): return take(key, text)
    case .form(var form): return take(key, &form)
    case .menu(var menu): return take(key, &menu)
    case .confirm(var confirmation): return take(key, &confirmation)
    case .waiting: return key == .escape ? cancelJob() : []
    }
  }

  private mutating func takeInList(_ key: Key) -> [UIEffect] {
    switch key {
    case _ where search?.isTyping == true: takeInSearch(key)
    case .up, .down, .pageUp, .pageDown, .home, .end: moveInList(key)
    case .character("k"): moveInList(.up)
    case .character("j"): moveInList(.down)
    case .character("b"): moveInList(.pageUp)
    case .character(" "): moveInList(.pageDown)
    case .character("/"): startSearch()
    case .character("n") where search != nil: goToMatch(1)
    case .character("N") where search != nil: goToMatch(-1)
    case .escape where search != nil && job == nil: endSearch()
    case .escape: return cancelJob()
    case .character("q"): return leave(.done)
    case .character("?"), .character("h"): page = .text(Self.help)
    case .character("l"):
      page = .text(TextPage("Log", log.reversed().map { "\($0.time)  \($0.what)  \($0.result)" }))
    case .character("d"): page = .text(Self.text(snapshot?.device))
    // One order at a time.
    case _ where job != nil: break
    case .character("n"): return prepareSignIn(nil)
    case .character("g"): return [.findGroups]
    case .character("+"):
      if let secrets { return [.open(secrets, addsSecret: true)] }
      showSecretForm(nil)
    default: return takeForAccount(key)
    }
    return []
  }

  private mutating func takeForAccount(_ key: Key) -> [UIEffect] {
    guard let account = selectedAccount else { return [] }
    guard key != .enter, key != .character("s") else { return start(.switchTo(account)) }
    guard account.authorityType != .secret else {
      takeForSecret(key, account)
      return []
    }
    switch key {
    case .character("r"): return prepareSignIn(account)
    case .character("t"): return start(.token(TokenOrder(account: account)))
    case .character("f"):
      return start(.token(TokenOrder(account: account, forceRefresh: true)))
    case .character("a"):
      page = .form(Form(calling: url, TokenOrder(account: account, scopes: scopes)))
    case .character("c"): page = .text(Self.claims(of: account))
    case .character("o"): page = .menu(Self.signOutMenu(account))
    default: break
    }
    return []
  }

  /// A stored secret is not refreshed and has no claims.
  private mutating func takeForSecret(_ key: Key, _ account: Account) {
    switch key {
    case .character("a"):
      page = .form(
        Form(calling: account.service ?? "https://", TokenOrder(account: account)))
    case .character("t"): page = .text(details(of: account))
    case .character("r"): showSecretForm(account)
    case .character("o"): page = .confirm(Self.removal(of: account))
    default: break
    }
  }

  /// Opens the form with what was typed before, unless scopes are missing since then.
  private mutating func prepareSignIn(_ account: Account?) -> [UIEffect] {
    guard var form = kept, case .signIn(let order) = form.purpose,
      order.account?.identity == account?.identity,
      account == nil || missing?.account.identity != account?.identity
    else { return [.prepare(account: account)] }
    form.complaint = ""
    page = .form(form)
    return []
  }

  mutating func showSecretForm(_ account: Account?) {
    guard let hidden = HiddenText() else {
      page = .text(TextPage("Add a secret", ["No memory can be locked for the secret."]))
      return
    }
    page = .form(Form(secret: hidden, replacing: account, in: group))
  }

  mutating func moveInList(_ key: Key) {
    let step =
      switch key {
      case .up: -1
      case .down: 1
      case .pageUp: -listRoom
      case .pageDown: listRoom
      case .home: -shownCount
      default: shownCount
      }
    place = max(0, min(place + step, shownCount - 1))
    anchorSearch()
  }

  /// After the last match comes the first one.
  private mutating func goToMatch(_ step: Int) {
    guard shownCount > 0 else { return }
    place = (place + step + shownCount) % shownCount
    anchorSearch()
  }

  // MARK: Pages

  private mutating func take(_ key: Key, _ text: TextPage) -> [UIEffect] {
    switch key {
    case .escape, .enter, .character("q"): page = .accounts
    case .up, .character("k"): scroll(by: -1)
    case .down, .character("j"): scroll(by: 1)
    case .pageUp, .character("b"): scroll(by: -textRoom)
    case .pageDown, .character(" "): scroll(by: textRoom)
    case .home, .character("g"): scroll(by: -text.offset)
    case .end, .character("G"): scroll(by: .max / 2)
    default: break
    }
    return []
  }

  /// How many lines of a text fit below its title.
  var textRoom: Int { max(1, room - 2) }

  mutating func scroll(by lines: Int) {
    guard case .text(var text) = page else { return }
    let last = max(0, text.wrapped.count - textRoom)
    text.offset = min(max(0, text.offset + lines), last)
    page = .text(text)
  }

  private mutating func take(_ key: Key, _ menu: inout Menu) -> [UIEffect] {
    switch key {
    case .escape, .character("q"): page = .accounts
    case .up, .character("k"): move(-1, &menu)
    case .down, .character("j"): move(1, &menu)
    case .pageUp: move(-textRoom, &menu)
    case .pageDown: move(textRoom, &menu)
    case .home: move(-menu.items.count, &menu)
    case .end: move(menu.items.count, &menu)
    case .enter: return choose(menu.place, of: menu)
    case .character(let digit):
      guard let number = Int(String(digit)), number > 0 else { return [] }
      return choose(number - 1, of: menu)
    default: break
    }
    return []
  }

  private mutating func move(_ step: Int, _ menu: inout Menu) {
    menu.place = max(0, min(menu.place + step, menu.items.count - 1))
    page = .menu(menu)
  }

  private mutating func choose(_ place: Int, of menu: Menu) -> [UIEffect] {
    guard menu.items.indices.contains(place) else { return [] }
    let item = menu.items[place]
    switch item.choice {
    case .group(let name):
      page = .accounts
      return name == group ? [] : [.open(name, addsSecret: false)]
    case .order(.signOut(var order)):
      order.endsBrowserSession = snapshot?.device?.mode == .shared
      page = .confirm(
        Confirmation(question: "Sign out \(item.label)?", order: .signOut(order)))
      return []
    case .order(let order): return start(order)
    }
  }

  private mutating func take(_ key: Key, _ confirmation: inout Confirmation) -> [UIEffect] {
    switch key {
    case .character("y"), .character("Y"): return start(confirmation.order)
    case .character("b"):
      guard var order = confirmation.signOut else { return [] }
      order.endsBrowserSession.toggle()
      confirmation.order = .signOut(order)
      page = .confirm(confirmation)
    case .character("n"), .character("N"), .character("q"), .escape:
      note(confirmation.order.title, "not confirmed")
      page = confirmation.form.map(Page.form) ?? .accounts
    default: break
    }
    return []
  }

  private mutating func take(_ key: Key, _ form: inout Form) -> [UIEffect] {
    form.complaint = ""
    let isChoice = form.place >= form.fields.count
    switch key {
    case .escape:
      if case .signIn = form.purpose { kept = form }
      // A secret does not stay in memory.
      if form.purpose == .secret { kept = nil }
      page = .accounts
      return []
    case .enter: return send(&form)
    case .tab, .down: form.place = (form.place + 1) % form.count
    case .backTab, .up: form.place = (form.place + form.count - 1) % form.count
    case .left where isChoice, .right where isChoice, .character(" ") where isChoice:
      if case .signIn(var order) = form.purpose {
        if form.place == form.fields.count {
          order.usesDeviceCode.toggle()
        } else {
          order.choosePrompt(key == .left ? -1 : 1)
        }
        form.purpose = .signIn(order)
      }
    default: if !isChoice { form.fields[form.place].take(key) }
    }
    page = .form(form)
    return []
  }

  private mutating func send(_ form: inout Form) -> [UIEffect] {
    if let empty = form.required.first(where: { form.fields[$0].isEmpty }) {
      form.place = empty
      form.complaint = "\(form.fields[empty].label) is required."
      page = .form(form)
      return []
    }
    switch form.purpose {
    case .signIn(var order):
      order.clientID = form.fields[0].text
      order.authority = form.fields[1].text
      order.scopes = form.fields[2].text
      order.loginHint = form.fields[3].text
      kept = form
      return start(.signIn(order))
    case .call(var order):
      guard order.account.authorityType != .secret else {
        return start(.call(url: form.fields[0].text, order))
      }
      url = form.fields[0].text
      scopes = form.fields[1].text
      order.scopes = scopes
      return start(.call(url: url, order))
    case .secret:
      let hidden = form.fields[2].hidden
      guard hidden?.hasSeveralLines != true else {
        form.complaint = "The secret has several lines. Store it with: tokenvault add <FILE"
        page = .form(form)
        return []
      }
      guard hidden?.isTooLong != true else {
        let error = CommandError.secretTooLarge("The secret", limit: PassphraseReading.limit)
        form.complaint = Failure(error).message + " Store it with: tokenvault add <FILE"
        page = .form(form)
        return []
      }
      kept = form
      return start(
        .add(
          SecretOrder(
            service: form.fields[0].text, username: form.fields[1].text, secret: hidden,
            expires: form.fields[3].text)))
    }
  }
}
