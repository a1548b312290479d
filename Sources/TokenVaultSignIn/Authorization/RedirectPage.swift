/// The last page that the browser shows.
package enum RedirectPage {
  /// The page after a successful sign-in.
  package static let signedIn = page(
    "Signed in", "You can close this window and return to the application.")

  /// The page after an administrator consented.
  package static let consented = page(
    "Consent given", "You can close this window. The users of the organization can sign in now.")

  /// The page after a failed sign-in.
  package static func failed(_ error: SignInError) -> String {
    switch error {
    case .userCancelled, .policyCancelled:
      page("Cancelled", "You did not sign in. You can close this window.")
    case .passwordResetRequested:
      page("Not signed in yet", "The application now opens the page that resets your password.")
    case .adminConsentRequired:
      page(
        "Not signed in",
        "An administrator of your organization has to consent to this application first. The "
          + "application shows the page to open.")
    case .issuerMismatch, .badRedirect:
      page(
        "Not signed in",
        "This response does not belong to the current sign-in. You can close this window and start "
          + "again.")
    default:
      page(
        "Not signed in", "The application shows the reason. You can close this window.")
    }
  }

  /// The page for a request that does not belong to the sign-in.
  package static let foreign = page(
    "Not found", "A sign-in is in progress, and this request does not belong to it.")

  /// The page for a browser, or a relay in front of it, that runs as another user than the application.
  package static let otherUser = page(
    "Not accepted",
    "This browser is connected to the application by another user of the machine, as a browser of "
      + "Windows and a port forwarder are. Sign in with a device code instead: tokenvault sign-in "
      + "--device-code.")

  /// The page for the second use of the address that the browser was started with.
  static let used = page(
    "Already opened",
    "This address opens the sign-in page once. Continue in the window that it opened, or start "
      + "again in the application.")

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
