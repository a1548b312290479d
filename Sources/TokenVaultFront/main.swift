// The executable that is installed as `tokenvault`: it prints a stored token, and runs the full
// program for everything else. docs/decisions/0030-small-front.md has the reason and the figures.
Front.main()
