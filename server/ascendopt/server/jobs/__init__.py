"""What a process beside the server does. Nothing else of the server imports the harness or the bank."""
