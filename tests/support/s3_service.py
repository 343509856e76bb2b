"""A real S3 service for tests, spoken to over HTTP."""

import logging
import socket
import threading
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import boto3
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from moto.s3.responses import S3Response
from werkzeug.serving import BaseWSGIServer, make_server

from local_fleet.ports import LOOPBACK, free_ports

_put_object, _writing = S3Response.put_object, threading.Lock()


def _put_alone(request: S3Response) -> Any:
    """Look for the object and put it in one step, as S3 does with If-None-Match; moto lets others in between."""
    with _writing:
        return _put_object(request)


class S3Service:
    """moto's server on a free loopback port; one bucket at a time."""

    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._atomic = patch.object(S3Response, "put_object", _put_alone)
        self._atomic.start()
        self._server = _server()
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.endpoint = f"http://{LOOPBACK}:{self._server.port}"
        self.bucket = ""
        self.client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="secret",
        )

    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
        }

    @property
    def url(self) -> str:
        return f"s3://{self.bucket}/media/flow"

    def make_bucket(self) -> None:
        self.bucket = f"bucket-{uuid4().hex}"
        self.client.create_bucket(Bucket=self.bucket)

    def remove_bucket(self) -> None:
        for key in self.keys():
            self.client.delete_object(Bucket=self.bucket, Key=key)
        self.client.delete_bucket(Bucket=self.bucket)

    def keys(self) -> list[str]:
        return [entry["Key"] for entry in self.client.list_objects_v2(Bucket=self.bucket).get("Contents", [])]

    def unfinished_uploads(self) -> list[str]:
        listing = self.client.list_multipart_uploads(Bucket=self.bucket)
        return [upload["Key"] for upload in listing.get("Uploads", [])]

    def content_type(self, key: str) -> str:
        found = self.client.head_object(Bucket=self.bucket, Key=f"media/flow/{key}")["ContentType"]
        assert isinstance(found, str)
        return found

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._atomic.stop()


def _server() -> BaseWSGIServer:
    """Make moto's server on a port below the kernel's own range, which many connections at once can use up.

    moto's ThreadedMotoServer asks for any port, and where it gets none its thread ends with "Port 0 is in use" while
    its starter waits for ever.
    """
    app = DomainDispatcherApplication(create_backend_app)
    while True:
        try:
            listener = socket.create_server((LOOPBACK, free_ports(1)[0]), backlog=128)
        except OSError:  # taken in between
            continue
        with listener:
            return make_server(
                LOOPBACK, 0, app, threaded=True, request_handler=MotoRequestHandler, fd=listener.fileno()
            )
