"""The plugin's options."""

from __future__ import annotations

from mkdocs.config.base import Config


class CourseConfig(Config):
    """None: what the site shows is in the course's own files. MkDocs wants the class all the same."""
