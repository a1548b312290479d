// `import TokenVault` is all that a tool needs: the types that its signatures name come with it.
@_exported public import TokenVaultGroupStore
@_exported public import TokenVaultKeyCustody
@_exported public import TokenVaultSignIn
@_exported public import TokenVaultSignInTransport
@_exported public import TokenVaultCrypto
@_exported public import TokenVaultModel
