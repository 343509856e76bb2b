"""Whether an object is one that Kubernetes, version by version, and the operators know: unknown fields are errors.

Kubernetes' schemas are those of the package kubernetes-validate, read out of its wheel (scripts/kube_tools); the
operators' are in tests/chart/crds.
"""

import json
import re
import zipfile
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from kube_tools import ROOT, SCHEMAS

Json = dict[str, Any]

CRDS = ROOT / "tests" / "chart" / "crds"
_FOLDER = "kubernetes_validate/kubernetes-json-schema"
_ELSEWHERE = "/api/_definitions.json#/"
#: The group's first word, as file names of schemas have it.
_GROUP = re.compile(r"^([^./]*)(?:\.[^/]*)?/")


@cache
def kubernetes_versions() -> tuple[str, ...]:
    """Give the versions that the chart is for and that there are schemas of, oldest first: ("1.29", …)."""
    names = {re.search(r"/v(\d+)\.(\d+)\.\d+-local-strict/", name) for name in _wheel().namelist()}
    found = sorted({(int(each[1]), int(each[2])) for each in names if each})
    return tuple(f"{major}.{minor}" for major, minor in found if (major, minor) >= (1, 29))


def complaints(thing: Json, version: str) -> list[str]:
    """Say what is wrong with an object of Kubernetes' own; KeyError where the version knows no such kind."""
    group = _GROUP.sub(r"\1-", thing["apiVersion"])
    validator = _validator(version, f"{thing['kind'].lower()}-{group}.json")
    return list(_said(validator, thing))


def is_foreign(thing: Json) -> bool:
    """Tell whether an object is of a kind that an operator brings."""
    return (thing["apiVersion"], thing["kind"]) in {key for _, key in _definitions()}


def foreign_complaints(thing: Json) -> list[str]:
    """Say what is wrong with an operator's object, by every version of the operator that there is a definition of."""
    found = []
    for (folder, key), validator in _definitions().items():
        if key == (thing["apiVersion"], thing["kind"]):
            found += [f"{folder}: {said}" for said in _said(validator, thing)]
    return found


def _said(validator: Draft202012Validator, thing: Json) -> Iterator[str]:
    for error in validator.iter_errors(thing):
        yield f"{'.'.join(map(str, error.absolute_path))}: {error.message[:300]}"


@cache
def _wheel() -> zipfile.ZipFile:
    assert SCHEMAS.exists(), "the tests need Kubernetes' schemas: scripts/kube_tools gets them"
    return zipfile.ZipFile(SCHEMAS)


@cache
def _validator(version: str, file: str) -> Draft202012Validator:
    """Give one kind's validator. It holds the definitions it speaks of: with all of them it would be slow."""
    folder = f"{_FOLDER}/v{version}.0-local-strict"
    schema = json.loads(_wheel().read(f"{folder}/{file}"))
    everything, needed = _kubernetes_definitions(folder), {}
    wanted = _references(schema)
    while wanted:
        name = wanted.pop()
        if name not in needed:
            needed[name] = everything[name]
            wanted |= _references(everything[name])
    local = json.loads(json.dumps(schema | {"$defs": needed}).replace(_ELSEWHERE, "#/"))
    return Draft202012Validator(local)


@cache
def _kubernetes_definitions(folder: str) -> Json:
    return dict(json.loads(_wheel().read(f"{folder}/_definitions.json"))["$defs"])


def _references(schema: Json) -> set[str]:
    return set(re.findall(r'#/\$defs/([^"]+)"', json.dumps(schema)))


@cache
def _definitions() -> dict[tuple[str, tuple[str, str]], Draft202012Validator]:
    """Give the validators of what operators bring, by folder and kind."""
    found = {}
    for file in sorted(CRDS.glob("*/*.json")):
        spec = json.loads(file.read_text())["spec"]
        for version in spec["versions"]:
            key = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
            found[file.parent.name, key] = Draft202012Validator(closed(version["schema"]["openAPIV3Schema"]))
    return found


def closed(schema: Any) -> Any:
    """Turn a structural schema into one that takes no field it does not name, as the API server does in strict mode."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if schema.get("x-kubernetes-int-or-string"):
        result["type"] = ["integer", "string"]
    if (
        isinstance(schema.get("properties"), dict)
        and "additionalProperties" not in schema
        and not schema.get("x-kubernetes-preserve-unknown-fields")
        and schema.get("type") == "object"
    ):
        result["additionalProperties"] = False
    if schema.get("nullable"):
        result["type"] = [result["type"], "null"]
    return result
