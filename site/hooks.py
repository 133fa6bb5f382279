"""What the site has beside docs/: pages that were generated, and files of the repository that
pages link to, such as studies. The latter become pages below repository/; links are changed to
lead there. After the build, nothing in the site may load anything from another host."""

import posixpath
import re
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, InclusionLevel
from mkdocs.utils import get_relative_url

ROOT = Path(__file__).resolve().parent.parent
GENERATED = ROOT / "bin" / "site-pages"  # as site/build makes them
OUTSIDE = "repository/"  # where files from outside docs/ are, in the site

# What has the search work in pages that are opened from a file system. The theme loads it from
# another host; site/static has it.
SHIM, OUR_SHIM = "https://unpkg.com/iframe-worker/shim", "assets/javascripts/iframe-worker.js"

LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:")
LOADS = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=\"?((?:https?:)?//[^\"\s>]+)")


def on_files(files, config):
    for path in sorted(GENERATED.rglob("*")):
        if path.is_file():
            files.append(File.generated(config, path.relative_to(GENERATED).as_posix(), abs_src_path=str(path)))
    queue = ["docs/" + f.src_uri for f in files.documentation_pages() if not f.generated_by]
    seen = set(queue)
    while queue:
        page = queue.pop()
        for link in LINK.finditer((ROOT / page).read_text()):
            target = resolved(page, link[2])
            if target and not target.startswith("docs/") and target not in seen and (ROOT / target).is_file():
                seen.add(target)
                files.append(outside(config, target))
                if target.endswith(".md"):
                    queue.append(target)
    return files


def resolved(page, link):
    """The path in the repository that a link of one of its pages leads to."""
    if SCHEME.match(link) or link.startswith("/"):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def outside(config, path):
    """A file of the repository as a page."""
    text = (ROOT / path).read_text()
    if not path.endswith(".md"):
        language = path.rpartition(".")[2]
        text = f"# {posixpath.basename(path)}\n\n`{path}`\n\n~~~~~~{language}\n{text}\n~~~~~~\n"
    return File.generated(config, in_site(path), content=text, inclusion=InclusionLevel.NOT_IN_NAV)


def in_site(path):
    """Where a file of the repository is in the site."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return OUTSIDE + path + ("" if path.endswith(".md") else ".md")


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    if page.file.generated_by and not uri.startswith(OUTSIDE):
        return markdown
    here = uri.removeprefix(OUTSIDE) if uri.startswith(OUTSIDE) else "docs/" + uri
    from_docs = here.startswith("docs/")

    def moved(link):
        target = resolved(here, link[2])
        if not target or (from_docs and target.startswith("docs/")):
            return link[0]
        return link[1] + posixpath.relpath(in_site(target), posixpath.dirname(uri) or ".") + link[3]

    return LINK.sub(moved, markdown)


def on_post_page(output, page, config):
    return output.replace(SHIM, get_relative_url(OUR_SHIM, page.url))


def on_post_template(output_content, template_name, config):
    return output_content.replace(SHIM, "/" + OUR_SHIM)


def on_post_build(config):
    for path in Path(config.site_dir).rglob("*.html"):
        if path.is_relative_to(Path(config.site_dir) / "gallery") and path.name != "index.html":
            continue  # reports: their own tests see to that
        if found := LOADS.search(path.read_text()):
            raise PluginError(f"{path.relative_to(config.site_dir)} loads {found[1]}")
