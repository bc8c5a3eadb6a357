"""What the site carries besides its pages: policy, feed, picture and archive."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from gpu100.errors import ContentError
from gpu100.paths import Layout
from gpu100.render.card import ALT, HEIGHT, WIDTH
from gpu100.render.feed import FEED, Entry, entries, feed
from gpu100.render.page import Site
from gpu100.render.run import Published
from gpu100.site.labs import WHEEL
from gpu100.site.offline import ARCHIVE, archived, is_offline
from gpu100.site.policy import hashes_in, headers, with_policy

CARD = "assets/card.png"


@dataclass
class Policies:
    """The policy of every page of one build, and what it would stop."""

    known: tuple[re.Pattern[str], ...]
    """The scripts that the theme itself writes into pages."""
    _hashes: dict[str, None] = field(default_factory=dict)
    _stopped: list[str] = field(default_factory=list)

    def applied(self, html: str, path: str) -> str:
        """The page at ``path`` with its policy."""
        hashes, stopped = hashes_in(html, self.known)
        self._hashes |= dict.fromkeys(hashes)
        self._stopped += [f"{path}: {what}" for what in stopped]
        return with_policy(html, hashes)

    def finish(self, site: Path) -> None:
        """Write the policy of all pages for hosts that send headers.

        Raises:
            PluginError: a page holds what the policy stops.
        """
        if self._stopped:
            told = "\n".join(self._stopped[:20])
            raise PluginError(f"a Content-Security-Policy without 'unsafe-inline' stops what pages hold:\n{told}")
        (site / "_headers").write_text(headers(sorted(self._hashes)), encoding="utf-8")


def archive_file(layout: Layout, config: MkDocsConfig) -> list[File]:
    """The archive, where one was packed, and this is not it."""
    path = archived(layout)
    if is_offline(config) or not path.is_file():
        return []
    return [File.generated(config, ARCHIVE, abs_src_path=str(path))]


def published(config: MkDocsConfig, files: Files) -> Published:
    """What pages may say of the site as a whole."""
    return Published(
        address=config.site_url or "",
        files=frozenset(file.src_uri for file in files),
        archive=ARCHIVE,
        wheel=WHEEL,
    )


def feed_entries(site: Site, config: MkDocsConfig, files: Files) -> list[Entry]:
    """The feed's entries; none where the site has no address."""
    if not config.site_url:
        return []
    written = {day.number: files.get_file_from_path(day.page.as_posix()) for day in site.course.days}
    try:
        return entries(site, {number: config.site_url + file.url for number, file in written.items() if file})
    except ContentError as error:
        raise PluginError(str(error)) from None


def write_feed(found: list[Entry], config: MkDocsConfig) -> None:
    """Write the feed beside the pages."""
    home = config.site_url or ""
    text = feed(found, title=config.site_name, subtitle=config.site_description or "", home=home)
    (Path(config.site_dir) / FEED).write_text(text, encoding="utf-8")


def for_head(found: list[Entry], config: MkDocsConfig, files: Files) -> dict[str, object]:
    """What the head of a page is given: the feed and the picture, with absolute addresses or not at all."""
    card = files.get_file_from_path(CARD)
    return {
        "feed_address": config.site_url + FEED if config.site_url and found else None,
        "card": {"address": config.site_url + card.url, "width": WIDTH, "height": HEIGHT, "alt": ALT}
        if config.site_url and card
        else None,
    }
