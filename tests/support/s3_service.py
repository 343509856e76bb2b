"""A real S3 service for tests, spoken to over HTTP."""

import logging
import threading
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import boto3
from moto.s3.responses import S3Response
from moto.server import ThreadedMotoServer

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
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._server.start()
        host, port = self._server.get_host_and_port()
        self.endpoint = f"http://{host}:{port}"
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
        self._server.stop()
        self._atomic.stop()
