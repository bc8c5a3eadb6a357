"""Programs run in processes of their own, and what they did turned into records."""
