import TokenVaultSignIn
import TokenVault
import TokenVaultModel

/// An input of the state.
enum UIEvent: Sendable {
  case key(Key)
  case resized(rows: Int, columns: Int)
  /// A second has passed. `ahead` is the offset of local time from UTC in seconds.
  case tick(Timestamp, ahead: Int64)
  /// Something was written in the directory of the group's file.
  case touched
  /// A pause has passed since ``touched``.
  case settled
  /// A running reading has read this many accounts.
  case read(Int, Int)
  case loaded(Int, Snapshot)
  case notLoaded(Int, UIFailure)
  case prepared(SignInOrder)
  case notPrepared(UIFailure)
  case groups([FoundGroup])
  case notFound(UIFailure)
  case notOpened(GroupName, UIFailure)
  case progress(Int, SignInEvent)
  /// The QR code of the page for a device code.
  case picture(Int, [String])
  case finished(Int, UIOutcome)
}
