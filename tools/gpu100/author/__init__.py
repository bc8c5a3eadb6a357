"""What an author runs: the scaffold of a new day, and the checks that say what is missing or wrong."""
