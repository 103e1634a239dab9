"""The handbook as a site: built by one command, every link leads somewhere, and nothing is fetched from elsewhere."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.tools import need_module

ROOT = Path(__file__).parents[2]


class Links(HTMLParser):
    """What a page links to, what it fetches, and the names within it that can be linked to."""

    def __init__(self):
        super().__init__()
        self.links, self.fetched, self.names = [], [], set()

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.names |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if found.get("src"):
            self.fetched.append(found["src"])
        if tag == "link" and found.get("href"):
            self.fetched.append(found["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    need_module("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    found = {}
    for path in site.glob("*.html"):
        if path.name != "404.html":
            found[path.name] = Links()
            found[path.name].feed(path.read_text("utf-8"))
    return found


def test_the_site_has_every_page_that_is_promised(pages):
    promised = "tutorial adapter report triage checks laws any numerics ci protocol records reference glossary limits"
    promised += " methods ledger gallery mistakes index"
    assert {f"{name}.html" for name in promised.split()} <= set(pages)


def test_every_link_within_the_site_leads_to_a_file_and_a_name_in_it(site, pages):
    broken, tried = [], 0
    for page, found in pages.items():
        for link in found.links + found.fetched:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            tried += 1
            target = unquote(parts.path) or page
            there = (site / target).exists()
            if not there or (parts.fragment and target in pages and parts.fragment not in pages[target].names):
                broken.append((page, link))
    assert tried > 1000
    assert broken == []


def test_no_page_fetches_anything_from_elsewhere(site, pages):
    assert [one for found in pages.values() for one in found.fetched if urlsplit(one).scheme not in ("", "data")] == []
    for path in [*site.glob("*.css"), *site.glob("css/*.css")]:
        assert not re.search(r"(url\(|@import )['\"]?https?:", path.read_text("utf-8")), path
