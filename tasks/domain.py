"""A domain: a field of tasks, and the preferences that people have in it."""

from duologue.tasks.written import Written

__all__ = ["Domain", "PreferenceType"]


class PreferenceType(Written):
    """One thing that people have tastes in. `values` is empty where any value is possible."""

    name: str
    description: str = ""
    values: tuple[str, ...] = ()
    multiple: bool = True
    open: bool = False
    """Whether values outside `values` are welcome too."""


class Domain(Written):
    """A field of tasks such as Restaurants."""

    name: str
    description: str = ""
    preferences: tuple[PreferenceType, ...] = ()

    def type(self, name: str) -> PreferenceType | None:
        """The preference type of that name, if the domain has it."""
        return next((p for p in self.preferences if p.name == name), None)
