"""What can go wrong around the fleet; each message is one line that says what to do."""


class FleetError(Exception):
    """The fleet can't do what was asked; the message is for the user."""


class FleetNotUp(FleetError):
    """No supervisor answers in this folder."""


class BrokerNotInstalled(FleetError):
    """No RabbitMQ server program was found."""


class BrokerStartFailed(FleetError):
    """The private broker ended, or did not answer in time."""
