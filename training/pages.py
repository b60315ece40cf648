"""The templates of Markdown pages."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from terz_env.evaluation.report_files import markdown_row

TEMPLATES = Path(__file__).parent / "templates"


def template(name: str) -> Template:
    """Return a template of the folder `TEMPLATES`; its filter `row` makes a row of a table."""
    environment = Environment(  # noqa: S701  (Markdown, not HTML)
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["row"] = markdown_row
    return environment.get_template(name)
