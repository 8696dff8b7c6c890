"""The command `nurselog`: its options, the files it reads and writes, and what it shows."""
