"""The whole fleet on one machine: private broker, supervised processes, KEDA's rule applied to processes."""
