"""Checks of every answer that Schemathesis gets, for guarantees of the interface that its schemas cannot express."""

import json
import os

import jsonschema_rs
import schemathesis

# Errors of bodies that fit their schema.
NOT_OF_THE_SHAPE = {"outside_coverage", "no_nearby_data", "elevation_mismatch"}
# Errors of bodies that do not fit their schema. A wrong species is reported before a wrong method.
OF_THE_SHAPE = {"invalid_request", "invalid_method", "invalid_species"}

SINGLE = ("/v1/predict", "/v1/predict/compare", "/v1/predict/rank")
BATCH = "/v1/predict/batch"


@schemathesis.serializer("application/x-ndjson", "application/vnd.apache.arrow.stream", "text/csv")
def as_it_is(ctx, value):
    """Tables are sent as the text that is generated for them."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


@schemathesis.deserializer("application/x-ndjson", "application/vnd.apache.arrow.stream", "text/csv", "image/tiff")
def as_it_came(ctx, response):
    """Tables and images are read as text, because their schemas only say that they are text or bytes."""
    return response.content.decode("utf-8", "replace")


@schemathesis.check
def refusal_agrees_with_schema(ctx, response, case):
    """A body that fits its schema is refused for its place or species only; one that does not, for its shape."""
    if case.path not in SINGLE or response.status_code not in (200, 422):
        return
    assert_agrees(case.operation, case.path, json.loads(response.request.body), response.json())


@schemathesis.check
def batch_entries_fail_in_their_place(ctx, response, case):
    """Each entry of a batch has its answer in its place, and fails exactly where it would alone."""
    if case.path != BATCH or response.status_code != 200:
        return
    entries = json.loads(response.request.body)["requests"]
    answer = response.json()
    results = answer["results"]
    for entry, result in zip(entries, results, strict=True):
        assert_agrees(case.operation, SINGLE[0], entry, result)
    failed = sum("error" in result for result in results)
    expected = {"total": len(entries), "successful": len(entries) - failed, "failed": failed}
    assert answer["summary"] == expected, f"summary {answer['summary']} should be {expected}"


@schemathesis.check
def no_key_no_answer(ctx, response, case):
    """A caller without a valid key learns of a keyed operation only that it needs one."""
    is_described = response.request.method.lower() == case.operation.method.lower()
    if case.path == "/v1/health" or not is_described or response.request.headers.get("X-API-Key") == os.environ["VALID_KEY"]:
        return
    assert response.status_code in (400, 401), f"a request without a valid key was answered {response.status_code}"


@schemathesis.check
def error_tells_no_internals(ctx, response, case):
    """An error body names no files, modules or stacks."""
    if response.status_code < 400:
        return
    for internal in ("node_modules", "/dist/", "/src/", ".js:", ".ts:", "    at ", "FST_ERR", "ERR_HTTP"):
        assert internal not in response.text, f"an error body has {internal!r} in it"


def assert_agrees(operation, path, entry, answer):
    code = answer.get("error", {}).get("code")
    if fits(operation.schema, path, entry):
        assert code is None or code in NOT_OF_THE_SHAPE, f"{code} for {entry}, which fits the schema"
    else:
        assert code in OF_THE_SHAPE, f"{code} for {entry}, which does not fit the schema"


def fits(schema, path, entry):
    document = schema.raw_schema
    body = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    return jsonschema_rs.is_valid({**body, "components": document["components"]}, entry)
