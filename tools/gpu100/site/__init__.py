"""The published site: a Markdown extension for any host, and the MkDocs plugin around it."""
