# Nodes: each a container runtime and a kubelet in namespaces of their own (network, processes, mounts, name).

start_network() {
    if ! ip link show "$bridge" >/dev/null 2>&1; then
        ip link add "$bridge" type bridge
        ip addr add "$host_ip/24" dev "$bridge"
        ip link set "$bridge" up
    fi
    for number in $(seq "$nodes"); do
        space=$(node_space "$number")
        [ ! -e "/run/netns/$space" ] || continue
        ip netns add "$space"
        ip link add "mediaflow0n$number" type veth peer name eth0 netns "$space"
        ip link set "mediaflow0n$number" master "$bridge" up
        ip -n "$space" link set lo up
        ip -n "$space" addr add "$(node_ip "$number")/24" dev eth0
        ip -n "$space" link set eth0 up
        ip -n "$space" route add default via "$host_ip"
        ip netns exec "$space" sysctl -q -w net.ipv4.ip_forward=1
        for other in $(seq "$nodes"); do
            [ "$other" = "$number" ] || ip -n "$space" route add "$(node_pods "$other")" via "$(node_ip "$other")"
        done
        ip route replace "$(node_pods "$number")" via "$(node_ip "$number")" dev "$bridge"
    done
    # Services are a node's business; the first one forwards for this machine.
    ip route replace "$service_net" via "$(node_ip 1)" dev "$bridge"
}

stop_network() {
    for space in $(ip netns list | awk '/^mediaflow-worker/ { print $1 }'); do ip netns delete "$space"; done
    ! ip link show "$bridge" >/dev/null 2>&1 || ip link delete "$bridge"
}

# A node's control groups: below one root of ours, in every hierarchy of version 1.
make_groups() {
    for hierarchy in /sys/fs/cgroup/*/; do
        [ -e "$hierarchy/cgroup.procs" ] || continue
        for group in mediaflow "mediaflow/$1"; do
            mkdir -p "$hierarchy/$group"
            [ ! -e "$hierarchy/$group/cpuset.cpus" ] || {
                cat "$hierarchy/cpuset.cpus" >"$hierarchy/$group/cpuset.cpus"
                cat "$hierarchy/cpuset.mems" >"$hierarchy/$group/cpuset.mems"
            }
        done
    done
}

write_node() {
    name=$1 number=$2 at=$folder/nodes/$1
    mkdir -p "$at"/containerd "$at"/kubelet "$at"/pods "$at"/cni "$at"/containers
    cat >"$at/containerd.toml" <<END
version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
    "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.internal.v1.opt"]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:built"
  enable_unprivileged_ports = true
  enable_unprivileged_icmp = true
  disable_tcp_service = true
  restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "/run/cni"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
END
    cat >"$at/network.conflist" <<END
{ "cniVersion": "0.4.0", "name": "pods", "plugins": [
  { "type": "ptp", "mtu": 1500, "ipam": { "type": "host-local", "dataDir": "/run/cni-addresses",
    "ranges": [[{ "subnet": "$(node_pods "$number")" }]], "routes": [{ "dst": "0.0.0.0/0" }] } },
  { "type": "portmap", "capabilities": { "portMappings": true } } ] }
END
    # One machine counts once: what the other nodes are promised is reserved here. Its disk is never ours to tidy.
    cat >"$at/kubelet.yaml" <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $(node_ip "$number")
authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: $folder/pki/ca.crt } }
authorization: { mode: Webhook }
tlsCertFile: $folder/pki/$name.crt
tlsPrivateKeyFile: $folder/pki/$name.key
clusterDNS: ["$dns_ip"]
clusterDomain: cluster.local
resolvConf: $folder/nodes/resolv.conf
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /mediaflow/$name
failCgroupV1: false
failSwapOn: false
systemReserved: { memory: "$reserved" }
evictionHard: { memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%, imagefs.inodesFree: 1% }
imageGCHighThresholdPercent: 100
maxPods: 110
END
    cat >"$at/proxy.yaml" <<END
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: { kubeconfig: $folder/pki/proxy.kubeconfig }
hostnameOverride: $name
mode: iptables
clusterCIDR: $pod_net
conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s }
END
}

start_nodes() {
    echo "nameserver 127.0.0.1" >"$folder/nodes/resolv.conf"
    total=$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)
    reserved=$((total - ${node_memory%Gi} * 1024 * 1024))Ki
    [ "${reserved%Ki}" -gt 0 ] || fail "$node_memory for a node is more than there is"
    for number in $(seq "$nodes"); do
        name=$(node_name "$number")
        ! alive "$name" || continue
        make_groups "$name"
        write_node "$name" "$number"
        background "$name" nsenter --net="/run/netns/$(node_space "$number")" \
            unshare --mount --uts --ipc --pid --fork --kill-child --mount-proc --propagation private \
            "$here/node" "$name" "$(node_ip "$number")" "$folder/nodes/$name" "$bin" "$service_net"
    done
    for number in $(seq "$nodes"); do
        name=$(node_name "$number")
        until_true 120 "node $name" "$kubectl" get node "$name"
        "$kubectl" patch node "$name" --type merge -p "{\"spec\":{\"podCIDR\":\"$(node_pods "$number")\"}}" >/dev/null
    done
}

# Everything of a node dies with its first process, which dies with `unshare --kill-child`.
stop_nodes() {
    for file in "$folder"/pid/worker*; do
        [ ! -e "$file" ] || { kill -9 "$(cat "$file")" 2>/dev/null || true; rm -f "$file"; }
    done
    for hierarchy in /sys/fs/cgroup/*/; do
        [ ! -d "$hierarchy/mediaflow" ] || until_true 20 "the end of the nodes' processes" remove_groups "$hierarchy/mediaflow"
    done
}

# Deepest first: a group can be removed when nothing runs in it and below it.
remove_groups() { find "$1" -depth -type d -exec rmdir {} \; && [ ! -d "$1" ]; }

# into NUMBER COMMAND…: runs a command inside a node.
into() {
    space=$(node_space "$1") inside=$(pgrep -P "$(cat "$folder/pid/$(node_name "$1")")")
    shift
    nsenter --target "$inside" --all -- "$@"
}
