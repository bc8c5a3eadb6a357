"""What a launch does to memory: checked, counted, done."""
