"""PTX as text and as data: the parser, and what it gives."""
