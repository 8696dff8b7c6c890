"""Exceptions of the client: one class for each error code of the service, and three of the client itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    """The text without the control characters with which a server or a file could drive the terminal."""
    return _UNPRINTABLE.sub("\ufffd", text)


class NurselogError(Exception):
    """A request, or one site of a batch, that failed.

    Attributes:
        code: The error code. Codes that this version does not know are raised as `NurselogError` itself.
        message: What was wrong, and what would be right.
        details: The fields of the service's `details`; empty if there are none.
        status: The HTTP status, None for a site of a batch and where no response arrived.
        request_id: The `X-Request-Id` of the response, for reports to the operator.
        retry_after: Seconds after which the service asks to try again.
        answered: If a table failed after some of its rows were answered, these rows with their answers, as a frame of
            the given kind; if a plan did, the plan of its first units, those that were answered; else None.
    """

    default_code: ClassVar[str] = "error"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        """Sets an attribute for every argument, from which pickle restores the exception."""
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.details: Mapping[str, Any] = details or {}
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after
        self.answered: Any = None
        self._answers: Any = None  # a table of Arrow: the answers to the first rows of a piece that failed after them

    def __str__(self) -> str:
        """The message, then the code and the request id."""
        request = f", request {self.request_id}" if self.request_id else ""
        return printable(f"{self.message} ({self.code}{request})")


class ConfigurationError(NurselogError):
    """The URL or the API key is missing or cannot be used. Nothing was sent."""

    default_code = "configuration"


class ConnectionFailedError(NurselogError):
    """The service could not be reached, or the connection ended before the response."""

    default_code = "connection_failed"


class UnexpectedResponseError(NurselogError):
    """A response that is not one of nurselog: `url` may be another server, or a proxy in between may have failed."""

    default_code = "unexpected_response"


class InvalidJsonError(NurselogError):
    """The body was not JSON."""

    default_code = "invalid_json"


class InvalidApiKeyError(NurselogError):
    """The key is malformed, unknown, revoked or rotated."""

    default_code = "invalid_api_key"


class KeyInactiveError(NurselogError):
    """The key is deactivated."""

    default_code = "key_inactive"


class NotFoundError(NurselogError):
    """There is no such address: the service is older than this client, or `url` has a wrong path."""

    default_code = "not_found"


class MethodNotAllowedError(NurselogError):
    """The address does not take this HTTP method."""

    default_code = "method_not_allowed"


class NotAcceptableError(NurselogError):
    """The service has none of the media types asked for."""

    default_code = "not_acceptable"


class PayloadTooLargeError(NurselogError):
    """The body has more bytes than `details["limit_bytes"]`."""

    default_code = "payload_too_large"


class UnsupportedMediaTypeError(NurselogError):
    """The body was not sent as JSON."""

    default_code = "unsupported_media_type"


class OutsideCoverageError(NurselogError):
    """The point lies in none of the regions."""

    default_code = "outside_coverage"


class NoNearbyDataError(NurselogError):
    """No data point lies within `details["search_radius_km"]`; `details["nearest"]` is the nearest one."""

    default_code = "no_nearby_data"


class InvalidSpeciesError(NurselogError):
    """The species code is not known; the message proposes a similar one."""

    default_code = "invalid_species"


class InvalidMethodError(NurselogError):
    """The planting method is neither `manual` nor `drone_seeded`."""

    default_code = "invalid_method"


class ElevationMismatchError(NurselogError):
    """`elevation_m` is far from `details["matched_elevation_m"]`, the elevation of the matched point."""

    default_code = "elevation_mismatch"


class BatchTooLargeError(NurselogError):
    """More sites than `details["tier_limit"]`. `predict_many` and tables adapt to it."""

    default_code = "batch_too_large"


class InvalidRequestError(NurselogError):
    """A field is missing, misspelled, of a wrong type or out of range: see `details["issues"]`."""

    default_code = "invalid_request"


class RateLimitExceededError(NurselogError):
    """The requests of the day are used up until `details["resets_at"]`."""

    default_code = "rate_limit_exceeded"


class InternalError(NurselogError):
    """An unexpected failure of the service."""

    default_code = "internal_error"


class OverloadedError(NurselogError):
    """The work queue of the service is full."""

    default_code = "overloaded"


class UnavailableError(NurselogError):
    """The service starts, stops, or cannot reach its store of keys."""

    default_code = "unavailable"


ERROR_CLASSES: Mapping[str, type[NurselogError]] = {
    error_class.default_code: error_class for error_class in NurselogError.__subclasses__()
}
"""The class of each error code."""


def error_from_object(
    error: Mapping[str, Any],
    *,
    status: int | None = None,
    request_id: str | None = None,
    retry_after: float | None = None,
) -> NurselogError:
    """The exception for the `error` object of a response or of a failed site.

    Raises:
        TypeError: It is no object.
        KeyError: It has no code or no message.
    """
    code = str(error["code"])
    details = error.get("details")
    return ERROR_CLASSES.get(code, NurselogError)(
        str(error["message"]),
        code=code,
        details=details if isinstance(details, Mapping) else None,
        status=status,
        request_id=request_id,
        retry_after=retry_after,
    )
