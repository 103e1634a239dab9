"""Downloads: stored whole and checked, or not at all."""

import functools
import hashlib
import http.server
import io
import tarfile
import threading
import zipfile

import pytest

from nrverify.reproduce.data import fetch, kdd, twitter
from nrverify.reproduce.data.fetch import DOWNLOADS, Download, FetchError


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def served(tmp_path):
    """A folder, and the address it is served at."""
    folder = tmp_path / "archive"
    folder.mkdir()
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def checked(content):
    expected = hashlib.sha256(content).hexdigest()
    return lambda found: None if hashlib.sha256(found).hexdigest() == expected else "its sha256 differs"


def test_a_download_with_the_right_checksum_is_stored_and_not_asked_for_again(served, tmp_path):
    archive, address = served
    (archive / "kdd.gz").write_bytes(b"content")
    download = Download("kdd.gz", f"{address}/kdd.gz", fetch.unpack_nothing, checked(b"content"))
    said = []
    target = tmp_path / "new" / "folder"
    fetch.fetch([download], target, said.append)
    assert (target / "kdd.gz").read_bytes() == b"content"
    assert [path.name for path in target.iterdir()] == ["kdd.gz"]
    (archive / "kdd.gz").unlink()
    fetch.fetch([download], target, said.append)
    assert "there already" in said[-1]


@pytest.mark.parametrize("unpack", [fetch.unpack_nothing, fetch.unpack_twitter])
def test_a_download_that_is_not_the_file_expected_is_not_stored(served, tmp_path, unpack):
    archive, address = served
    (archive / "file").write_bytes(b"something else")
    download = Download("file", f"{address}/file", unpack, checked(b"content"))
    with pytest.raises(FetchError, match="is not the file expected"):
        fetch.fetch([download], tmp_path / "target", lambda words: None)
    assert not (tmp_path / "target" / "file").exists()


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/file", "http://no-such-host.invalid/file"])
def test_without_a_connection_one_sentence_says_what_to_do(tmp_path, address):
    download = Download("file", address, fetch.unpack_nothing, lambda content: None)
    with pytest.raises(
        FetchError, match=r"by hand and leave out --fetch, or run without data for synthetic figures\.$"
    ):
        fetch.fetch([download], tmp_path, lambda words: None)


def test_a_missing_file_on_the_server_is_refused(served, tmp_path):
    download = Download("file", f"{served[1]}/file", fetch.unpack_nothing, lambda content: None)
    with pytest.raises(FetchError, match=r"\(File not found\)"):
        fetch.fetch([download], tmp_path / "target", lambda words: None)


def test_twitter_is_unpacked_from_a_tar_file_within_a_zip_file():
    inner, outer = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as tar:
        for name, content in (("regression/TomsHardware/x.data", b"no"), ("regression/Twitter/Twitter.data", b"yes")):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("regression.tar.gz", inner.getvalue())
    assert fetch.unpack_twitter(outer.getvalue()) == b"yes"


def test_contents_are_checked_by_checksum_or_by_rows_and_moments(monkeypatch):
    assert "sha256" in (fetch.check_kdd(b"x") or "")
    monkeypatch.setattr(kdd, "WHOLE_SHA256", hashlib.sha256(b"x").hexdigest())
    assert fetch.check_kdd(b"x") is None
    lines = [",".join(["1"] * 77 + [target]) for target in ("2.0", "6.0")]
    content = "\n".join(lines).encode()
    assert "rows" in (fetch.check_twitter(content) or "")
    monkeypatch.setattr(twitter, "WHOLE_ROWS", 2)
    assert "mean" in (fetch.check_twitter(content) or "")
    monkeypatch.setattr(twitter, "WHOLE_MEAN", 4.0)
    monkeypatch.setattr(twitter, "WHOLE_MAX", 6.0)
    assert fetch.check_twitter(content) is None
    assert "fields" in (fetch.check_twitter(content + b",1") or "")


def test_the_archive_is_asked_over_an_encrypted_connection():
    assert all(download.url.startswith("https://") for download in DOWNLOADS.values())
