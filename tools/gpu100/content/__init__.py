"""The course's files, read: TOML in, model out, and every error with file, line and a hint."""
