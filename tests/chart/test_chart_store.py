"""Where the chart says that media are, and how they get out of it."""

from typing import Any

import pytest

from rendered_chart import Json, Rendering, at, merged, named, the

S3 = {"store": {"mode": "s3", "s3": {"bucket": "films"}}}


def _environment(values: Json, deployment: str = "-ingest") -> dict[str, Any]:
    pod = the(Rendering(values).objects(), "Deployment", deployment)["spec"]["template"]["spec"]
    return {each["name"]: each.get("value", each.get("valueFrom")) for each in pod["containers"][0]["env"]}


@pytest.mark.parametrize(
    ("values", "way"),
    [
        # Its address is the cluster's own: a browser that was sent there would find nothing.
        ({}, "proxy"),
        (at("store.mode", "pvc"), "proxy"),
        (S3, "redirect"),
        (merged(S3, at("store.s3.serveOutputs", "proxy")), "proxy"),
    ],
)
def test_clients_are_sent_to_the_store_only_where_they_reach_it(values: Json, way: str) -> None:
    assert _environment(values)["MEDIAFLOW_INGEST_SERVE_OUTPUTS"] == way


@pytest.mark.parametrize(
    ("values", "url", "endpoint"),
    [
        ({}, "s3://mediaflow", "http://films-mediaflow-store:7070"),
        (S3, "s3://films", None),
        (merged(S3, at("store.s3.prefix", "/a/b/")), "s3://films/a/b", None),
        (merged(S3, at("store.s3.endpoint", "https://s3.example")), "s3://films", "https://s3.example"),
        (at("store.mode", "pvc"), "file:///var/lib/mediaflow/store", None),
    ],
)
def test_every_process_is_told_the_same_store(values: Json, url: str, endpoint: str | None) -> None:
    for deployment in ("-ingest", "-transcode", "-console"):
        found = _environment(values, deployment)
        assert (found["MEDIAFLOW_STORE_URL"], found.get("AWS_ENDPOINT_URL")) == (url, endpoint)


def test_a_bucket_without_a_name_is_asked_for() -> None:
    assert "store.s3.bucket: which bucket" in Rendering(at("store.mode", "s3")).refusal()


def test_without_a_secret_the_pods_own_identity_opens_the_bucket() -> None:
    assert "AWS_ACCESS_KEY_ID" not in _environment(S3)
    assert "AWS_ACCESS_KEY_ID" in _environment(merged(S3, at("store.s3.existingSecret", "ours")))


@pytest.mark.parametrize("sidecar", [False, True])
def test_the_bucket_is_there_before_the_server(sidecar: bool) -> None:
    objects = Rendering(at("store.builtin", {"bucket": "films", "sidecar": sidecar})).objects()
    spec = the(objects, "Deployment", "-store")["spec"]["template"]["spec"]
    made, server = spec["initContainers"][0]["command"], spec["containers"][0]["args"]

    assert f"{server[-1]}/films" in made
    assert ("--sidecar" in server) == sidecar
    if sidecar:
        assert server[server.index("--sidecar") + 1] in made


def test_there_is_one_server_that_lets_go_of_the_volume_before_the_next() -> None:
    spec = the(Rendering().objects(), "Deployment", "-store")["spec"]

    assert spec["replicas"] == 1
    assert spec["strategy"] == {"type": "Recreate"}


@pytest.mark.parametrize("mode", ["builtin", "pvc"])
def test_an_uninstall_leaves_the_media(mode: str) -> None:
    claim = the(Rendering(at("store.mode", mode)).objects(), "PersistentVolumeClaim", "-store")

    assert claim["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"
    assert claim["spec"]["accessModes"] == ["ReadWriteMany" if mode == "pvc" else "ReadWriteOnce"]


def test_a_claim_and_a_secret_of_the_users_are_taken() -> None:
    objects = Rendering(at("store.builtin", {"existingClaim": "our-disk", "existingSecret": "our-keys"})).objects()

    assert named(objects, "PersistentVolumeClaim", "-store") == named(objects, "Secret", "-store") == []
    spec = the(objects, "Deployment", "-store")["spec"]["template"]["spec"]
    assert {"name": "data", "persistentVolumeClaim": {"claimName": "our-disk"}} in spec["volumes"]


def test_own_certificates_are_trusted_beside_the_public_ones_by_every_process() -> None:
    values = at("trust", {"existingSecret": "our-authority", "key": "bundle.pem"})
    objects = Rendering(values).objects()

    for name in ("-ingest", "-console", "-transcode"):
        found = _environment(values, name)
        assert found["SSL_CERT_FILE"] == "/etc/mediaflow-trust/bundle.pem"
        assert found["SSL_CERT_DIR"] == "/etc/ssl/certs"
        spec = the(objects, "Deployment", name)["spec"]["template"]["spec"]
        assert {"name": "trust", "secret": {"secretName": "our-authority"}} in spec["volumes"]
        assert any(mount["mountPath"] == "/etc/mediaflow-trust" for mount in spec["containers"][0]["volumeMounts"])
