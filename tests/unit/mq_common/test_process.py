import tempfile

import pytest

from mq_common.process import EXIT_CONFIGURATION, exit_code_of, need_temporary_folder


def nowhere():
    raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")


def check():
    need_temporary_folder()
    return 0


def test_a_place_for_temporary_files_is_all_that_is_asked_for():
    assert exit_code_of(check) == 0


def test_without_a_place_for_temporary_files_the_process_says_so_and_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(tempfile, "gettempdir", nowhere)

    assert exit_code_of(check) == EXIT_CONFIGURATION
    assert "TMPDIR: no folder for temporary files" in capsys.readouterr().err
