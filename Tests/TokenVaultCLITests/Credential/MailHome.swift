import Foundation
import TokenVaultTestSupport

/// A home with real mail clients, a real dovecot (Peers/mailserver.py) that asks the identity provider
/// about each token, and two accounts.
struct MailHome {
  let home: SignInHome
  private let path: String

  init() throws {
    home = try SignInHome(
      #"{"resourceServer": "mail:secret", "accessTokenFormat": "opaque"}"#)
    let peers = try PythonPeer().interpreter.deletingLastPathComponent().path
    path = "\(peers):\(home.home.environment["PATH"] ?? "")"
  }

  func signIn(_ person: String = "ADA") throws {
    let run = try home.signIn(person, "--scope https://mail.example/Mail")
    guard run.status == 0 else { throw SignInHome.Unexpected(run: run) }
  }

  /// Runs a script while dovecot listens at `$I` (IMAP) and `$S` (submission) of localhost. The clients
  /// have the accounts `ada` and `grace`.
  func run(_ script: String) throws -> ShellHome.Run {
    let caller = "mail:secret@" + home.provider.url.dropFirst("http://".count)
    return try home.run(
      """
      export PATH="\(path)" TERM=xterm
      rm -f port; mkfifo port
      python3 -B '\(ClientHome.script("mailserver.py"))' http://\(caller)/common/oauth2/v2.0/introspect &
      P=$!; trap 'kill $P; wait $P' EXIT
      read I S <port
      \(Self.configuration)
      send() { printf 'From: %s@contoso.example\\nSubject: %s\\n\\nhello\\n' "$1" "$3" \
        | msmtp -C msmtprc -a "$1" "$2@contoso.example"; }
      fetch() { timeout 60 mbsync -c mbsyncrc "$@" >mbsync.log 2>&1; }
      subjects() { cat Mail/$1/new/* Mail/$1/cur/* 2>/dev/null | sed -n 's/^Subject: //p' | sort; }
      \(script)
      """)
  }

  /// msmtp has XOAUTH2 for ada and OAUTHBEARER for grace; mbsync has XOAUTH2 (libsasl2-modules-kdexoauth2).
  private static let configuration = """
    for user in ada grace; do
      mail=$user@contoso.example
      [ $user = ada ] && auth=xoauth2 || auth=oauthbearer
      cat >>msmtprc <<END
    account $user
    host localhost
    port $S
    tls on
    tls_starttls off
    tls_trust_file cert.pem
    auth $auth
    from $mail
    user $mail
    passwordeval tokenvault mail-auth --user $mail

    END
      mkdir -p Mail
      cat >>mbsyncrc <<END
    IMAPAccount $user
    Host localhost
    Port $I
    User $mail
    PassCmd "tokenvault mail-auth --user $mail"
    AuthMechs XOAUTH2
    SSLType IMAPS
    CertificateFile cert.pem

    IMAPStore $user-far
    Account $user

    MaildirStore $user-near
    Inbox ~/Mail/$user
    SubFolders Verbatim
    Path ~/Mail/

    Channel $user
    Far :$user-far:
    Near :$user-near:
    Create Near
    SyncState *

    END
      cat >muttrc-$user <<END
    set imap_user = "$mail"
    set imap_authenticators = "oauthbearer"
    set imap_oauth_refresh_command = "tokenvault mail-auth --user $mail"
    set smtp_url = "smtps://$mail@localhost:$S/"
    set smtp_authenticators = "oauthbearer"
    set smtp_oauth_refresh_command = "tokenvault mail-auth --user $mail"
    set certificate_file = "cert.pem"
    set folder = "imaps://localhost:$I/"
    set spoolfile = "+INBOX"
    set from = "$mail"
    set copy = no
    set wait_key = no
    END
    done
    chmod 600 msmtprc
    """
}
