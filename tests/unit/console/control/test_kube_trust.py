"""Whose certificates the console believes when it talks to an API server."""

import datetime
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from kubernetes import client
from urllib3.exceptions import InsecureRequestWarning
from urllib3.util.ssl_ import create_urllib3_context

from console.control.fleet_control import ControlUnavailable
from console.control.kube_api import KubeApi

_DAY = datetime.timedelta(days=1)
_ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 26\r\n\r\n" + b'{"items":[],"metadata":{}}'
)


def _write(folder: Path, name: str) -> Path:
    """Make an authority without key usage and key identifiers, and a server's certificate by it."""
    now = datetime.datetime.now(datetime.UTC)
    authority_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])

    def build(subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(authority).public_key(key.public_key())
        dated = builder.not_valid_before(now - _DAY).not_valid_after(now + _DAY)
        return dated.serial_number(x509.random_serial_number())

    root = build(authority, authority_key).add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    )
    server = build(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "api")]), server_key)
    server = server.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    pem = serialization.Encoding.PEM
    (folder / "ca.crt").write_bytes(root.sign(authority_key, hashes.SHA256()).public_bytes(pem))
    (folder / "server.crt").write_bytes(server.sign(authority_key, hashes.SHA256()).public_bytes(pem))
    plain = serialization.NoEncryption()
    key = server_key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    (folder / "server.key").write_bytes(key)
    return folder / "ca.crt"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    _write(tmp_path, "old authority")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.crt", tmp_path / "server.key")
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                accepted, _ = listener.accept()
            except OSError:
                return
            try:
                with context.wrap_socket(accepted, server_side=True) as connection:
                    connection.recv(65536)
                    connection.sendall(_ANSWER)
            except OSError:  # the client did not believe the certificate
                accepted.close()

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"https://localhost:{listener.getsockname()[1]}"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def _api(url: str, ca: Path | None, monkeypatch: pytest.MonkeyPatch, *, verified: bool = True) -> KubeApi:
    """Open it with what Python 3.13 asks for by itself, whatever Python this is."""
    configuration = client.Configuration()
    configuration.host = url
    configuration.ssl_ca_cert, configuration.verify_ssl = str(ca) if ca else None, verified

    def strict(cert_reqs: int) -> ssl.SSLContext:
        context = create_urllib3_context(cert_reqs=cert_reqs)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    monkeypatch.setattr("console.control.kube_api.create_urllib3_context", strict)
    return KubeApi(configuration, "films")


def test_an_authority_without_the_newest_extensions_is_believed_where_the_cluster_names_it(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = _api(server, tmp_path / "ca.crt", monkeypatch)

    assert api.find("apps", "deployments", "a=b") == []
    api.close()


def test_another_authority_is_not_believed(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other").mkdir()
    api = _api(server, _write(tmp_path / "other", "another authority"), monkeypatch)

    with pytest.raises(ControlUnavailable, match="CERTIFICATE_VERIFY_FAILED"):
        api.find("apps", "deployments", "a=b")
    api.close()


def test_without_an_authority_of_its_own_the_machines_are_asked(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    api = _api(server, None, monkeypatch)

    with pytest.raises(ControlUnavailable, match="CERTIFICATE_VERIFY_FAILED"):
        api.find("apps", "deployments", "a=b")
    api.close()


def test_a_kubeconfig_that_asks_for_no_verification_gets_none(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    api = _api(server, None, monkeypatch, verified=False)

    with pytest.warns(InsecureRequestWarning):
        assert api.find("apps", "deployments", "a=b") == []
    api.close()
