/// An answer, and how it is delivered to the client.
struct Reply {
  /// How much of the answer is sent; `cut` sends nothing and closes, `hang` waits for the client to
  /// close.
  enum Ending: String { case whole, half, cut, hang }

  var status = 200
  var headers: [(String, String)] = []
  var body: [UInt8] = []
  /// Milliseconds between processing the request and sending the answer.
  var delay = 0.0
  var ending = Ending.whole
  /// The answer's `error`, for the log.
  var error: String?

  static func json(_ value: JSON, status: Int = 200) -> Reply {
    Reply(
      status: status,
      headers: [
        ("Content-Type", "application/json; charset=utf-8"), ("Cache-Control", "no-store"),
        ("Pragma", "no-cache"),
      ], body: value.bytes, error: value["error"]?.text)
  }

  static func page(_ title: String, _ content: String, status: Int = 200) -> Reply {
    let html = """
      <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(title.html)</title>
      <style>body{font:16px sans-serif;max-width:28em;margin:3em auto}button{display:block;
      width:100%;margin:.4em 0;padding:.7em;text-align:left}</style></head>
      <body><h1 id="title">\(title.html)</h1>\(content)</body></html>
      """
    return Reply(
      status: status,
      headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")],
      body: Array(html.utf8))
  }

  static func redirect(_ uri: String, _ parameters: FormFields) -> Reply {
    let separator = parameters.pairs.isEmpty ? "" : uri.contains("?") ? "&" : "?"
    return Reply(
      status: 302,
      headers: [("Location", uri + separator + parameters.encoded), ("Cache-Control", "no-store")],
      error: parameters["error"])
  }

  static let notFound = Reply.json(["error": "not_found"], status: 404)
}
