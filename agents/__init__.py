"""Who speaks: the door to models, the user agent, the assistant under test and the judge."""
