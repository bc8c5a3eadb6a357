"""Evidence on disk: its files, whether it is still current, and its way between machines."""
