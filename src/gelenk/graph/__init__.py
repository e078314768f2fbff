"""The contact graph: what hangs together by joints, contacts and gears, for users and inside steps."""
