"""What the course is made of, as frozen types without I/O."""
