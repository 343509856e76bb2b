# What runs inside the cluster: names, metrics, volumes, KEDA, RabbitMQ's operator, Prometheus.

# load_images FILE…: into every node.
load_images() {
    for file in "$@"; do
        loading=""
        for number in $(seq "$nodes"); do
            into "$number" "$here/import" "$file" &
            loading="$loading $!"
        done
        for process in $loading; do
            wait "$process" || fail "$file could not be loaded"
        done
    done
}

# offer IMAGE PROGRAM [LINK]: an image of one program (and another name of it), in every node.
offer() {
    image=$1 program=$2
    shift 2
    [ "$bin/$program.tar" -nt "$bin/$program" ] ||
        python3 "$here/image.py" "localhost/$image:built" "$bin/$program" "$@" >"$bin/$program.tar"
    [ "$folder/nodes/$image.loaded" -nt "$bin/$program.tar" ] || load_images "$bin/$program.tar"
    touch "$folder/nodes/$image.loaded"
}

start_addons() {
    offer pause pause
    offer coredns coredns
    mkdir -p "$folder/volumes"
    "$kubectl" apply -f "$here/manifests" >/dev/null
    alive volumes || background volumes "$bin/volumes" --root "$folder/volumes" --kubeconfig "$folder/pki/volumes.kubeconfig"
    offer metrics-server metrics-server
    "$kubectl" apply -f "$bin/metrics-server.yaml" >/dev/null
    offer kube-state-metrics kube-state-metrics
    offer keda keda
    offer keda-metrics-apiserver keda-adapter
    offer keda-admission-webhooks keda-admission-webhooks
    offer cluster-operator rabbitmq-operator manager
    offer prometheus-operator prometheus-operator
    offer prometheus-config-reloader prometheus-config-reloader bin/prometheus-config-reloader
    offer prometheus prometheus-server # its data lie in /prometheus
    "$kubectl" create namespace monitoring --dry-run=client -o yaml | "$kubectl" apply -f - >/dev/null
    "$kubectl" apply --server-side -f "$bin/keda.yaml" -f "$bin/rabbitmq-operator.yaml" -f "$bin/monitoring.yaml" \
        -f "$bin/kube-state-metrics.yaml" >/dev/null
    "$kubectl" wait --for=condition=Established --timeout=60s crd/prometheuses.monitoring.coreos.com >/dev/null
    "$kubectl" apply -f "$bin/prometheus.yaml" >/dev/null
}
