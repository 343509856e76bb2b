# What `make kind-up` installs beside Mediaflow: the one place that says which versions.

# kind supports a node image only with the release that built it: this one is of kind 0.33.
KIND_NODE_IMAGE=${KIND_NODE_IMAGE:-kindest/node:v1.36.4@sha256:099e049362a1526b2db71494e1947aae99bd16290d7c895f2b7ea312e3cbfaed}

KEDA_CHART=2.21.1
KEDA_REPOSITORY=https://kedacore.github.io/charts

METRICS_SERVER_CHART=3.13.0
METRICS_SERVER_REPOSITORY=https://kubernetes-sigs.github.io/metrics-server

KUBE_PROMETHEUS_STACK_CHART=93.9.0
KUBE_PROMETHEUS_STACK_REPOSITORY=https://prometheus-community.github.io/helm-charts

RABBITMQ_OPERATOR=https://github.com/rabbitmq/cluster-operator/releases/download/v2.23.2/cluster-operator.yml
