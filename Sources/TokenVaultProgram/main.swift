import TokenVaultCLI

CommandLineProgram.main()
