"""A fourth channel, as somebody would add it: one screen around mq_common's worker."""
