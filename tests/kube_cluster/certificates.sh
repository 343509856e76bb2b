# Certificates and kubeconfigs of the cluster, made once and kept in $folder/pki.

# authority NAME: a root that signs.
authority() {
    [ -f "$pki/$1.crt" ] || openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj "/CN=$1" \
        -keyout "$pki/$1.key" -out "$pki/$1.crt" 2>/dev/null
}

# signed AUTHORITY NAME SUBJECT [ALTERNATIVE NAMES]: a certificate that serves both ends of a connection.
signed() {
    [ ! -f "$pki/$2.crt" ] || return 0
    openssl req -newkey rsa:2048 -nodes -subj "$3" -keyout "$pki/$2.key" -out "$pki/$2.csr" 2>/dev/null
    {
        echo "keyUsage=digitalSignature,keyEncipherment"
        echo "extendedKeyUsage=serverAuth,clientAuth"
        [ -z "${4:-}" ] || echo "subjectAltName=$4"
    } >"$pki/$2.ext"
    openssl x509 -req -in "$pki/$2.csr" -CA "$pki/$1.crt" -CAkey "$pki/$1.key" -CAcreateserial -days 365 \
        -extfile "$pki/$2.ext" -out "$pki/$2.crt" 2>/dev/null
}

# access NAME: the kubeconfig of a certificate.
access() {
    [ -f "$pki/$1.kubeconfig" ] || cat >"$pki/$1.kubeconfig" <<END
apiVersion: v1
kind: Config
current-context: mediaflow
contexts: [{ name: mediaflow, context: { cluster: mediaflow, user: $1 } }]
clusters:
  - name: mediaflow
    cluster: { server: "https://$host_ip:6443", certificate-authority-data: $(base64 -w0 "$pki/ca.crt") }
users:
  - name: $1
    user:
      client-certificate-data: $(base64 -w0 "$pki/$1.crt")
      client-key-data: $(base64 -w0 "$pki/$1.key")
END
}

make_certificates() {
    pki=$folder/pki
    mkdir -p "$pki"
    authority ca
    authority front-proxy-ca
    signed front-proxy-ca front-proxy /CN=front-proxy
    signed ca apiserver /CN=kube-apiserver "IP:$host_ip,IP:$api_ip,IP:127.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
    signed ca apiserver-kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client
    signed ca admin /O=system:masters/CN=admin
    signed ca controller-manager /CN=system:kube-controller-manager
    signed ca scheduler /CN=system:kube-scheduler
    signed ca proxy /CN=system:kube-proxy
    signed ca policies /CN=policies
    signed ca volumes /CN=volumes
    for number in $(seq "$nodes"); do
        name=$(node_name "$number")
        signed ca "$name" "/O=system:nodes/CN=system:node:$name" "IP:$(node_ip "$number"),DNS:$name"
        access "$name"
    done
    for name in admin controller-manager scheduler proxy policies volumes; do access "$name"; done
    [ -f "$pki/accounts.key" ] || openssl genrsa -out "$pki/accounts.key" 2048 2>/dev/null
    cp "$pki/admin.kubeconfig" "$folder/kubeconfig"
    chmod -R go= "$pki" "$folder/kubeconfig"
}
