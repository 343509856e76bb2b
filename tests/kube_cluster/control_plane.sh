# etcd and the control plane, as processes of this machine; they listen on the cluster's bridge and on loopback only.

start_control_plane() {
    pki=$folder/pki
    alive etcd || background etcd "$bin/etcd" --name default --data-dir "$folder/etcd" --unsafe-no-fsync \
        --listen-client-urls "http://127.0.0.1:$etcd_port" --advertise-client-urls "http://127.0.0.1:$etcd_port" \
        --listen-peer-urls http://127.0.0.1:24380 --initial-advertise-peer-urls http://127.0.0.1:24380 \
        --initial-cluster default=http://127.0.0.1:24380 --log-level warn
    alive apiserver || background apiserver "$bin/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd_port" \
        --bind-address "$host_ip" --advertise-address "$host_ip" --secure-port 6443 --allow-privileged \
        --service-cluster-ip-range "$service_net" --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
        --client-ca-file "$pki/ca.crt" --tls-cert-file "$pki/apiserver.crt" --tls-private-key-file "$pki/apiserver.key" \
        --kubelet-certificate-authority "$pki/ca.crt" --kubelet-client-certificate "$pki/apiserver-kubelet-client.crt" \
        --kubelet-client-key "$pki/apiserver-kubelet-client.key" --kubelet-preferred-address-types InternalIP \
        --service-account-issuer https://kubernetes.default.svc.cluster.local \
        --service-account-key-file "$pki/accounts.key" --service-account-signing-key-file "$pki/accounts.key" \
        --enable-aggregator-routing --proxy-client-cert-file "$pki/front-proxy.crt" --proxy-client-key-file "$pki/front-proxy.key" \
        --requestheader-client-ca-file "$pki/front-proxy-ca.crt" --requestheader-allowed-names front-proxy \
        --requestheader-username-headers X-Remote-User --requestheader-group-headers X-Remote-Group \
        --requestheader-extra-headers-prefix X-Remote-Extra-
    until_true 120 "the API server" "$kubectl" get --raw /readyz
    alive controller-manager || background controller-manager "$bin/kube-controller-manager" \
        --kubeconfig "$pki/controller-manager.kubeconfig" --authentication-kubeconfig "$pki/controller-manager.kubeconfig" \
        --authorization-kubeconfig "$pki/controller-manager.kubeconfig" --bind-address 127.0.0.1 --leader-elect=false \
        --use-service-account-credentials --service-account-private-key-file "$pki/accounts.key" --root-ca-file "$pki/ca.crt" \
        --cluster-signing-cert-file "$pki/ca.crt" --cluster-signing-key-file "$pki/ca.key" --cluster-cidr "$pod_net"
    alive scheduler || background scheduler "$bin/kube-scheduler" --kubeconfig "$pki/scheduler.kubeconfig" \
        --authentication-kubeconfig "$pki/scheduler.kubeconfig" --authorization-kubeconfig "$pki/scheduler.kubeconfig" \
        --bind-address 127.0.0.1 --leader-elect=false
}

stop_control_plane() {
    for name in volumes scheduler controller-manager apiserver etcd; do stop "$name"; done
}
