/// The page that the browser is left with.
package enum RedirectPage {
  /// Somebody signed in.
  package static let signedIn = page(
    "Signed in", "The application has what it needs. You can close this window.")

  /// The sign-in came to nothing.
  package static func failed(_ error: SignInError) -> String {
    switch error {
    case .userCancelled, .policyCancelled:
      page("Cancelled", "Nobody was signed in. You can close this window.")
    case .passwordResetRequested:
      page("Not signed in yet", "The application goes on with resetting the password.")
    case .stateMismatch, .issuerMismatch, .badRedirect:
      page(
        "Not signed in",
        "This answer does not belong to the sign-in that is open. You can close this window and "
          + "begin again.")
    default:
      page(
        "Not signed in", "The application says what went wrong. You can close this window.")
    }
  }

  /// A request that is none of the sign-in's.
  package static let foreign = page(
    "Nothing here", "A sign-in is open, and this is not its answer.")

  private static func page(_ title: String, _ text: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title)</title>
    <style>
    body { font: 1.1rem/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 32rem;
      padding: 0 1rem; color-scheme: light dark }
    </style>
    </head>
    <body>
    <h1>\(title)</h1>
    <p>\(text)</p>
    </body>
    </html>

    """
  }
}
