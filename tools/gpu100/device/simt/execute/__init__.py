"""A launch: chunks of blocks, who runs next, and where lanes wait."""
