"""What is wrong with contacts, but not so wrong that a run is refused."""


class ContactWarning(UserWarning):
    """Bodies that start inside each other, masses that touch and differ by many orders, a solver that falls short."""
