"""The MkDocs plugin: hooks that hand each page to :mod:`gpu100.render`, and nothing else."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url
from pymdownx.snippets import SnippetMissingError

from gpu100.content.quizzes import load_quiz
from gpu100.errors import CourseError
from gpu100.model.course import Day
from gpu100.paths import Layout
from gpu100.render.choice import offer
from gpu100.render.code import set_code
from gpu100.render.expressions import Block, Inline, evaluate
from gpu100.render.loading import load_site, shortfalls
from gpu100.render.page import PageNames, Site
from gpu100.render.run import WITHOUT_GPU
from gpu100.site.assets import gather
from gpu100.site.config import CourseConfig
from gpu100.site.evidence import evidence_files, with_machines
from gpu100.site.glossary import anchors_in, fill_glossary
from gpu100.site.labs import lab_files, lab_html
from gpu100.site.leftover import leftover_braces
from gpu100.site.nav import navigation
from gpu100.site.offline import is_offline, prepare, write_archive
from gpu100.site.policy import scripts_of_theme
from gpu100.site.preview import Preview
from gpu100.site.problems import Problems
from gpu100.site.published import Policies, archive_file, feed_entries, for_head, published, write_feed

log = get_plugin_logger("gpu100")


class CoursePlugin(BasePlugin[CourseConfig]):
    """Evidence, quizzes and the course's order, brought into MkDocs."""

    _preview: Preview | None = None
    """Set where only changed pages are built: under ``mkdocs serve --dirty``."""
    _served = False
    """Under ``mkdocs serve``, which writes a script of its own into every page."""

    def on_startup(self, *, command: str, dirty: bool) -> None:
        # Defined at all, it makes MkDocs keep this object across the rebuilds of ``serve``.
        self._preview = Preview() if dirty else None
        self._served = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        self._layout = Layout(Path(config.config_file_path).parent)
        self._problems = Problems(self._layout)
        try:
            self._site: Site = load_site(self._layout)
        except CourseError as error:
            raise PluginError(str(error)) from None
        self._days = {day.page.as_posix(): day for day in self._site.course.days}
        self._weigh_evidence()
        self._offline = is_offline(config)
        self._policies = None if self._offline or self._served else Policies(scripts_of_theme(config.theme.dirs))
        if self._offline:
            prepare(config)
        self._assets = None if self._served else gather(config, whole=self._offline)
        if not config.site_url:
            # Material then knows no address to go to, and on pages opened as files announces none of them.
            config.theme["features"] = [name for name in config.theme["features"] if name != "navigation.instant"]
        nav = navigation(self._site.course, self._site.written, config.nav or [])
        config.nav, self._has_machines = with_machines(nav, self._site.recorded.machines)
        config.watch += [str(folder) for folder in (self._layout.content, self._layout.code, self._layout.evidence)]
        config.markdown_extensions.append("gpu100")
        config.mdx_configs["gpu100"] = {
            "evaluate": self._evaluate,
            "refuse": self._refuse,
            "terms": lambda: self._page.terms(),
        }
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        made = [*lab_files(self._layout, self._site, config), *archive_file(self._layout, config)]
        made += evidence_files(self._site, config, pages=self._has_machines)
        try:
            made += self._assets.files(config) if self._assets else []
        except CourseError as error:
            raise PluginError(str(error)) from None
        for file in made:
            files.append(file)
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        # Not earlier: mkdocs-jupyter has wrapped the labs' files by now.
        if self._preview:
            self._preview.choose(files, self._layout, self._site)
        self._end_with_the_last_day(nav)
        self._published = published(config, files)

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        path = page.file.src_uri
        self._problems.enter(config.docs_dir, path)
        day = self._days.get(path)
        try:
            quiz = load_quiz(self._layout, day) if day else None
        except CourseError as error:
            raise PluginError(str(error)) from None
        url = partial(_url, page=page, files=files)
        self._page = PageNames(self._site, path, day, quiz, url=url, published=self._published)
        self._names = self._page.names()
        return self._with_header(day, page, markdown) if day else markdown

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        for text in leftover_braces(html):
            self._problems.add(f"{text!r} holds braces that nothing evaluates", at=text)
        if page.file.src_uri.startswith("labs/"):
            page.meta["search"] = {"exclude": True}
            return set_code(lab_html(self._site, html, page, files))
        page.present_anchor_ids = (page.present_anchor_ids or set()) | anchors_in(html)
        return set_code(html) + self._page.data()

    def on_build_error(self, *, error: Exception) -> None:
        """A passage of code that is not there, told like whatever else is wrong with a page."""
        if isinstance(error, SnippetMissingError):
            missing = re.search("'(.+)'", str(error))
            self._problems.add(str(error), at=f'{missing[1]}"' if missing else "--8<--")
            log.error(str(self._problems))  # as MkDocs does with an error of a plugin
            raise Abort("Aborted") from None

    def on_env(self, env: Any, *, config: MkDocsConfig, files: Files) -> None:
        """Every page has been rendered: say all that was wrong with them at once."""
        if self._problems:
            raise PluginError(str(self._problems))
        fill_glossary(self._site, files)
        without = files.get_file_from_path(WITHOUT_GPU)
        offer(env, self._site, without.url if without else None)
        self._entries = feed_entries(self._site, config, files)
        env.globals.update(for_head(self._entries, config, files))

    @event_priority(-100)
    def on_post_template(self, output_content: str, *, template_name: str, config: MkDocsConfig) -> str:
        if self._policies and template_name.endswith(".html"):
            return self._policies.applied(output_content, template_name)
        return output_content

    @event_priority(-100)
    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        return self._policies.applied(output, page.file.src_uri) if self._policies else output

    @event_priority(-150)  # after Material's offline plugin, whose files belong into the archive
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        if self._policies:
            self._policies.finish(Path(config.site_dir))
        if self._entries:
            write_feed(self._entries, config)
        if self._offline:
            write_archive(self._layout, Path(config.site_dir))

    def _end_with_the_last_day(self, nav: Navigation) -> None:
        """After the last day that is written comes another day, and no page of another kind."""
        for page in nav.pages:
            after = page.next_page
            if page.file.src_uri in self._days and after and after.file.src_uri not in self._days:
                page.next_page = after.previous_page = None

    def _weigh_evidence(self) -> None:
        for shortfall in shortfalls(self._site):
            if shortfall.fatal:
                raise PluginError(shortfall.message)
            log.warning(shortfall.message)  # which --strict counts

    def _evaluate(self, source: str) -> Inline | Block:
        try:
            return evaluate(source, self._names)
        except CourseError as error:
            self._problems.add(error.message, at=source, hint=error.hint)
            return Inline("")

    def _refuse(self, source: str, message: str, hint: str | None) -> None:
        self._problems.add(f"{{{{ {source} }}}} {message}", at=source, hint=hint)

    @staticmethod
    def _with_header(day: Day, page: Page, markdown: str) -> str:
        """A day's title and facts come from course.toml, so no page can forget or contradict them."""
        page.meta.setdefault("title", day.title)
        page.meta.setdefault("description", day.asks)
        page.meta.setdefault("tags", [f"Day {day.number}"])  # by which the search finds it; the title has no number
        return f"# {day.title}\n\n{{{{ header() }}}}\n\n{markdown}"


def _url(source: str, *, page: Page, files: Files) -> str:
    """The address of the page at ``source``, from docs/, as ``page`` has to link it."""
    file = files.get_file_from_path(source)
    return get_relative_url(file.url if file else source, page.url)
