"""Folders of the user's own, where the platform has them."""

import os
import sys
from pathlib import Path
from typing import Literal

__all__ = ["user_folder"]

_FOLDERS = {
    "cache": {
        "win32": ("LOCALAPPDATA", "AppData/Local"),
        "darwin": ("", "Library/Caches"),
        "": ("XDG_CACHE_HOME", ".cache"),
    },
    "settings": {
        "win32": ("APPDATA", "AppData/Roaming"),
        "darwin": ("", "Library/Application Support"),
        "": ("XDG_CONFIG_HOME", ".config"),
    },
}
"""By platform: the variable that may name it, and where it is in the user's home otherwise."""


def user_folder(kind: Literal["cache", "settings"]) -> Path:
    """Duologue's folder for what is fetched, or for what the user has set."""
    places = _FOLDERS[kind]
    variable, usual = places.get(sys.platform, places[""])
    named = os.environ.get(variable) if variable else ""
    return (Path(named) if named else Path.home() / usual) / "duologue"
