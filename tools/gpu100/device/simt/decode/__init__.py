"""A kernel of PTX as Python functions over many lanes at once."""
