print("group-member")
