"""A real kube-apiserver with etcd on this machine, and a kubelet that tells logs. Pods need no service account."""

import os
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from kube_cluster import ADMIN, CONSOLE, NODE, KubeCluster, until
from local_fleet.lifeline import bound_command
from local_fleet.ports import free_ports

#: Names the kube-apiserver; etcd has to be on the PATH (Debian's etcd-server).
SETTING = "KUBE_APISERVER"


def program() -> Path | None:
    """The kube-apiserver to test against, where one is named."""
    named = os.environ.get(SETTING)
    return Path(named) if named else None


@contextmanager
def real_cluster(apiserver: Path, folder: Path) -> Iterator[KubeCluster]:
    """Run a server in `folder` until the context ends."""
    client, peer, port = free_ports(3)
    etcd_url = f"http://127.0.0.1:{client}"
    _write_keys(folder)
    etcd = _start(
        folder / "etcd.log",
        [
            "etcd",
            f"--data-dir={folder / 'etcd'}",
            f"--listen-client-urls={etcd_url}",
            f"--advertise-client-urls={etcd_url}",
            f"--listen-peer-urls=http://127.0.0.1:{peer}",
        ],
    )
    server = _start(
        folder / "apiserver.log",
        [
            str(apiserver),
            f"--etcd-servers={etcd_url}",
            "--bind-address=127.0.0.1",
            f"--secure-port={port}",
            f"--cert-dir={folder / 'certs'}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={folder / 'sa.key'}",
            f"--service-account-signing-key-file={folder / 'sa.key'}",
            f"--token-auth-file={folder / 'tokens.csv'}",
            "--authorization-mode=RBAC",
            "--disable-admission-plugins=ServiceAccount",
            "--service-cluster-ip-range=10.0.0.0/24",
        ],
    )
    try:
        ca = folder / "certs" / "apiserver.crt"
        url = f"https://127.0.0.1:{port}"
        until(lambda: server.poll() is not None or _is_ready(ca, url), "the API server")
        assert server.poll() is None, (folder / "apiserver.log").read_text()[-3000:]
        cluster = KubeCluster(url, ca=ca)
        with _kubelet(cluster, ca):
            yield cluster
    finally:
        for process in (server, etcd):
            process.terminate()
            process.wait(20)


def _is_ready(ca: Path, url: str) -> bool:
    try:  # it makes its certificate before it listens
        return ca.exists() and KubeCluster(url, ca=ca).try_to("GET", "/readyz")[0] == 200
    except Exception:
        return False


def _start(log: Path, command: list[str]) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        return subprocess.Popen(bound_command(command), stdin=subprocess.DEVNULL, stdout=output, stderr=output)


def _write_keys(folder: Path) -> None:
    subprocess.run(["openssl", "genrsa", "-out", str(folder / "sa.key"), "2048"], check=True, capture_output=True)
    (folder / "tokens.csv").write_text(f'{ADMIN},admin,admin,"system:masters"\n{CONSOLE},console,console\n')


@contextmanager
def _kubelet(cluster: KubeCluster, certificate: Path) -> Iterator[None]:
    """Answer the API server's requests for logs, and tell it where."""

    class Logs(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pod = self.path.split("/")[3]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(cluster.logs.get(pod, "").encode())

        def log_message(self, *_: Any) -> None:
            pass

    kubelet = ThreadingHTTPServer(("127.0.0.1", 0), Logs)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))
    kubelet.socket = context.wrap_socket(kubelet.socket, server_side=True)
    thread = threading.Thread(target=kubelet.serve_forever)
    thread.start()
    cluster.ask("POST", "/api/v1/nodes", {"metadata": {"name": NODE}})
    addresses = [{"type": "InternalIP", "address": "127.0.0.1"}]
    endpoint = {"kubeletEndpoint": {"Port": kubelet.server_address[1]}}
    cluster.merge(f"/api/v1/nodes/{NODE}/status", {"status": {"addresses": addresses, "daemonEndpoints": endpoint}})
    try:
        yield
    finally:
        kubelet.shutdown()
        thread.join()
        kubelet.server_close()
