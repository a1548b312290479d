import TokenVault

print("no")
