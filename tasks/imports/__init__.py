"""Tasks from elsewhere: the goals of other people's dialogues as tasks, with domains in which they can be done."""
