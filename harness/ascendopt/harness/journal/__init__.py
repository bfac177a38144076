"""The journal: every decision of an episode as an event, with replay."""
