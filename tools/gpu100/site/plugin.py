"""The MkDocs plugin: hooks that hand each page to :mod:`gpu100.render`, and nothing else."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, get_plugin_logger
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from gpu100.content.quizzes import load_quiz
from gpu100.errors import CourseError
from gpu100.model.course import Day
from gpu100.paths import Layout
from gpu100.render.expressions import Block, Inline, evaluate
from gpu100.render.page import PageNames, Site
from gpu100.site.config import CourseConfig
from gpu100.site.labs import lab_files, lab_html
from gpu100.site.leftover import leftover_braces
from gpu100.site.loading import load_site, shortfalls
from gpu100.site.nav import navigation
from gpu100.site.problems import Problems

log = get_plugin_logger("gpu100")


class CoursePlugin(BasePlugin[CourseConfig]):
    """Evidence, quizzes and the course's order, brought into MkDocs."""

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Defined so that MkDocs keeps this object across the rebuilds of ``serve``."""

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        self._layout = Layout(Path(config.config_file_path).parent)
        self._problems = Problems(self._layout)
        try:
            self._site: Site = load_site(self._layout)
        except CourseError as error:
            raise PluginError(str(error)) from None
        self._days = {day.page.as_posix(): day for day in self._site.course.days}
        self._weigh_evidence()
        config.nav = navigation(self._site.course, self._site.written, config.nav or [])
        config.watch += [str(folder) for folder in (self._layout.content, self._layout.code, self._layout.evidence)]
        config.markdown_extensions.append("gpu100")
        config.mdx_configs["gpu100"] = {"evaluate": self._evaluate, "refuse": self._refuse}
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        for file in lab_files(self._layout, self._site, config):
            files.append(file)
        return files

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        path = page.file.src_uri
        self._problems.enter(config.docs_dir, path)
        day = self._days.get(path)
        try:
            quiz = load_quiz(self._layout, day) if day else None
        except CourseError as error:
            raise PluginError(str(error)) from None
        self._page = PageNames(self._site, path, day, quiz)
        self._names = self._page.names()
        return self._with_header(day, page, markdown) if day else markdown

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        for text in leftover_braces(html):
            self._problems.add(f"{text!r} holds braces that nothing evaluates", at=text)
        if page.file.src_uri.startswith("labs/"):
            page.meta["search"] = {"exclude": True}
            return lab_html(self._site, html, page, files)
        return html + self._page.data()

    def on_env(self, env: object, *, config: MkDocsConfig, files: Files) -> None:
        """Every page has been rendered: say all that was wrong with them at once."""
        if self._problems:
            raise PluginError(str(self._problems))

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
        return f"# {day.title}\n\n{{{{ header() }}}}\n\n{markdown}"
