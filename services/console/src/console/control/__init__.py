"""What an operator does to the fleet: pause, resume, scale, replay; on this machine or on Kubernetes."""
