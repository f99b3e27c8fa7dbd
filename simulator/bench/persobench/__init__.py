"""PersoBench's protocol: the next reply in a dialogue with a persona, its format checked, and measured."""
