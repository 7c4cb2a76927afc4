"""The systemd unit leaves little open, by systemd's own count."""

import pathlib
import shutil
import subprocess

import pytest

UNIT = pathlib.Path(__file__).parents[1] / "systemd/turno.service"
MOST = 1.5


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_little_is_exposed():
    asked = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(UNIT)]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    level = [line for line in told.splitlines() if "exposure level" in line]
    assert level, told
    exposure = float(level[0].rsplit(":", 1)[1].split()[0])
    assert exposure <= MOST, told


def test_files_are_private():
    lines = UNIT.read_text().splitlines()
    assert "UMask=0077" in lines
    assert "StateDirectoryMode=0700" in lines
