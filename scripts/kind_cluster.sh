# The kind cluster's name, its kubeconfig, and the tools that work on it. Sourced by kind_up and kind_down.

CLUSTER=${CLUSTER:-mediaflow}
NAMESPACE=${NAMESPACE:-mediaflow}
#: A file of its own: the user's kubeconfig, and the cluster it points at, are left alone.
KUBECONFIG_FILE=$root/.run/kind/kubeconfig
PATH=$PATH:$root/.cache/bin

# require TOOL WHERE…: note what is missing, and where to get it.
missing=
require() {
    have "$1" || missing="$missing
  $1: $2"
}

require_tools() {
    require docker "https://docs.docker.com/engine/install/ (or Debian's package docker.io)"
    require kind "https://kind.sigs.k8s.io/docs/user/quick-start/#installation"
    [ "$1" = down ] || require kubectl "https://kubernetes.io/docs/tasks/tools/"
    [ "$1" = down ] || require helm "https://helm.sh/docs/intro/install/"
    [ -z "$missing" ] || fail "these are missing:$missing"
    docker info >/dev/null 2>&1 || fail "docker is installed, but its engine does not answer: start it, or let this user reach it"
}

cluster_exists() { kind get clusters 2>/dev/null | grep -qx "$CLUSTER"; }
