// `import TokenVault` is all that a tool needs: the types that its signatures name come with it.
@_exported public import GroupStore
@_exported public import KeyCustody
@_exported public import SignIn
@_exported public import VaultCrypto
@_exported public import VaultModel
