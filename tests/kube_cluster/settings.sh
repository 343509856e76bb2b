# What the cluster's parts have to agree on.

here=${here:-$(CDPATH="" cd -- "$(dirname -- "$0")" && pwd)}
top=$(CDPATH='' cd -- "$here/../.." && pwd)

# Programs of `make kube-binaries`, and the folder of everything else: certificates, logs, data, the kubeconfig.
bin=${MEDIAFLOW_KUBE_BIN:-$top/.cache/kube}
folder=${MEDIAFLOW_KUBE_FOLDER:-$top/.run/kube}
# Nodes of the cluster; each has every core, and its share of the memory.
nodes=${MEDIAFLOW_KUBE_NODES:-3}
node_memory=${MEDIAFLOW_KUBE_NODE_MEMORY:-7Gi}

bridge=mediaflow0
host_ip=10.200.0.1
service_net=10.96.0.0/16
api_ip=10.96.0.1
dns_ip=10.96.0.10
pod_net=10.244.0.0/16
etcd_port=24379

node_name() { echo "worker$1"; }
node_ip() { echo "10.200.0.$((10 + $1))"; }
node_pods() { echo "10.244.$1.0/24"; }
node_space() { echo "mediaflow-worker$1"; }

say() { printf 'kube: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

# until_true SECONDS WHAT COMMAND…: waits on a condition.
until_true() {
    limit=$(($(date +%s) + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        [ "$(date +%s)" -lt "$limit" ] || fail "$what: not within the time it may take; see $folder/log"
        sleep 0.3
    done
}

# background NAME COMMAND…: a process that outlives this shell, by its process id.
background() {
    name=$1
    shift
    setsid nohup "$@" >>"$folder/log/$name.log" 2>&1 </dev/null &
    echo $! >"$folder/pid/$name"
}

alive() { [ -s "$folder/pid/$1" ] && kill -0 "$(cat "$folder/pid/$1")" 2>/dev/null; }

# stop NAME: ends a process that background() started, and waits until it is gone.
stop() {
    alive "$1" || return 0
    kill "$(cat "$folder/pid/$1")"
    for _ in $(seq 100); do
        alive "$1" || break
        sleep 0.1
    done
    ! alive "$1" || kill -9 "$(cat "$folder/pid/$1")"
    rm -f "$folder/pid/$1"
}

kubectl=${MEDIAFLOW_KUBECTL:-$(command -v kubectl || echo "$top/.cache/bin/kubectl")}
