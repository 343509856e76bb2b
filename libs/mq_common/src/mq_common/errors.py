"""The error tree of the messaging side: pika errors are translated at the edge, so nobody imports pika to catch one."""


class MediaflowError(Exception):
    """Base of every error that mq_common raises on purpose."""


class PermanentError(MediaflowError):
    """Trying again cannot help (bad media, bad message): the message goes to the dead-letter queue at once."""


class TransientError(MediaflowError):
    """Trying again may help (provider answers 503, store not reachable): retried by the channel's policy first."""


class InvalidEvent(PermanentError):
    """The message body does not parse or does not satisfy the event schema."""


class JobInterrupted(MediaflowError):
    """The worker is shutting down and stopped the job: the message goes back without costing it an attempt.

    From a worker that is not shutting down it is a failure like any other, retried by the channel's policy.
    """


class JobTimedOut(PermanentError):
    """The job used up its channel's time limit, all attempts and waits together."""


class ConfigurationError(MediaflowError):
    """A setting is missing, unknown or out of range. Ends the process with exit code 2."""


class BrokerUnreachable(MediaflowError):
    """No connection to the broker within the start limit. Ends the process with exit code 3."""


class TopologyMismatch(MediaflowError):
    """A queue or exchange exists with other arguments than ours. Ends the process with exit code 4."""
