"""Documents are written whole or not at all, and refused before any work is done."""

import json
import os
import threading

import pytest

from nrverify.report.atomic_write import encoded, refusal, write_whole


@pytest.mark.parametrize("name", ["", ".", "missing/report.json", "file/report.json", "x" * 300, "a\x00b", "circle/x"])
def test_a_name_that_cannot_be_written_is_refused_with_what_to_do(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    (tmp_path / "circle").symlink_to("circle")
    assert "name a file in a folder that exists and is writable" in refusal(name)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="NOT RUN: needs procfs, a folder that takes no files")
def test_a_folder_that_takes_no_files_whatever_its_mode_is_refused():
    assert "name a file in a folder that exists and is writable" in refusal("/proc/report.json")


def test_a_refusal_or_none_leaves_nothing_behind(tmp_path):
    assert refusal(str(tmp_path / "new.json")) is None
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_and_one_that_is_there_are_not_refused(tmp_path):
    assert refusal(str(tmp_path / "new.json")) is None
    (tmp_path / "old.json").write_text("old")
    assert refusal(str(tmp_path / "old.json")) is None
    assert refusal("/dev/null") is None


def test_a_document_replaces_what_was_there(tmp_path):
    path = tmp_path / "report.json"
    path.write_text("a longer text that was there before")
    write_whole(str(path), "ε\n")
    assert path.read_bytes() == "ε\n".encode()
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def test_a_failure_leaves_what_was_there_and_no_draft(tmp_path, monkeypatch):
    path = tmp_path / "report.json"
    path.write_text("before")

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        write_whole(str(path), "after")
    assert path.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def test_a_link_is_followed_and_stays_a_link(tmp_path):
    (tmp_path / "real.json").write_text("before")
    (tmp_path / "link.json").symlink_to("real.json")
    write_whole(str(tmp_path / "link.json"), "after")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "after"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    seen = []
    reader = threading.Thread(target=lambda: seen.append(pipe.read_text()))
    reader.start()
    write_whole(str(pipe), "through")
    reader.join()
    assert seen == ["through"]
    assert pipe.is_fifo()


def test_a_lone_surrogate_stays_valid_json():
    text = json.dumps({"name": "a\ud800b"}, ensure_ascii=False)
    assert json.loads(encoded(text)) == {"name": "a\ud800b"}
