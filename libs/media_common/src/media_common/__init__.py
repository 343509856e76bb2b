"""The media toolbox: object store, ffmpeg runner, probe, results. Knows nothing of RabbitMQ."""
