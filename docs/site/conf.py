"""Configuration of Sphinx for the pages that `build.py` laid out. Nothing is fetched."""

from fields import add_fields
from pygments.lexers.jvm import GroovyLexer
from sphinx.application import Sphinx

from bbccli.version import __version__

project = "bbc"
author = "the bbc contributors"
copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
root_doc = "index"
default_role = "code"
highlight_language = "text"
smartquotes = False
myst_heading_anchors = 6
myst_enable_extensions = ["attrs_inline"]  # anchors in tables
suppress_warnings = ["misc.highlighting_failure"]  # JSON with dots for what is left out

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_type_aliases = {name: name for name in ("BoolArray", "FloatArray", "IntArray", "Bind")}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
add_module_names = False
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = f"bbc {__version__}"
html_static_path = ["style"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "gallery": []}
html_theme_options = {
    "logo": {"text": html_title},
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}


def setup(app: Sphinx) -> None:
    """Add what Sphinx lacks."""
    app.add_lexer("nextflow", GroovyLexer)
    app.connect("autodoc-process-docstring", add_fields, priority=400)  # numpydoc comes at 500
