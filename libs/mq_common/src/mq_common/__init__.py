"""The contract and the machinery of RabbitMQ: channels, topology, events, publisher, worker. Knows nothing of media."""
