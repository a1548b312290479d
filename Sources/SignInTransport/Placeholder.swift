import SignIn
