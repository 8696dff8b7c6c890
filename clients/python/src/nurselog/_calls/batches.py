"""How `predict_many` divides sites into batches and puts the answers in order, without input and output."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from numbers import Integral, Real
from typing import cast

from nurselog._calls.arguments import check_type, wrong_type
from nurselog._calls.operations import Operation, Result, encode, is_encodable, predict_batch
from nurselog.errors import (
    BatchTooLargeError,
    ConnectionFailedError,
    InvalidRequestError,
    NurselogError,
    PayloadTooLargeError,
)
from nurselog.types import PredictionRequest

MAX_BATCH_SITES = 500
"""The largest batch of any tier."""

_SITE_FIELDS = PredictionRequest.__required_keys__ | PredictionRequest.__optional_keys__

# Quota, key and overload concern all batches alike: if one failed after its retries, the others are not sent.
_STOPPING_STATUSES = frozenset({401, 403, 429, 502, 503, 504})


@dataclass(frozen=True)
class Batch:
    """Sites that are sent in one request: their positions, and those among them that could be written as JSON."""

    sites: range
    encoded: Sequence[int]
    operation: Operation[Sequence[Result]]


class BatchPlan:
    """Which sites are sent next, and one result or error for each site. Threads may share it.

    Each position is in exactly one place: waiting, in a batch that was handed out, or settled.
    """

    def __init__(
        self,
        sites: Iterable[Mapping[str, object]],
        options: Mapping[str, object],
        batch_sites: int,
        concurrency: int,
    ) -> None:
        """`options` are defaults for fields that a site does not have; those with the value None are left out."""
        self._concurrency = checked_concurrency(concurrency)
        check_type("sites", sites, Iterable, "a list of sites")
        self._sites = list(sites)
        for site in self._sites:
            if not hasattr(site, "keys"):  # a row of pandas is no Mapping
                raise wrong_type("each of sites", site, 'a mapping, such as {"latitude": 44.12}')
        self._options = {name: value for name, value in options.items() if value is not None}
        self._waiting = deque([range(len(self._sites))])
        self._results: list[Result | None] = [None] * len(self._sites)
        self._failure: NurselogError | None = None
        self._is_stopped = False
        self._lock = threading.Lock()
        self.batch_sites = batch_sites
        self.was_answered = False

    @property
    def workers(self) -> int:
        """How many batches should be in flight: `concurrency`, unless the waiting sites make fewer."""
        waiting = sum(-(-len(sites) // self.batch_sites) for sites in self._waiting)
        return min(self._concurrency, waiting)

    def next_batch(self) -> Batch | None:
        """The next sites to send; None if none wait.

        Sites with a field of `PredictionRequest` that cannot be written as JSON get an error and are not sent.
        """
        while (sites := self._take()) is not None:
            entries: dict[int, bytes] = {}
            for position in sites:
                try:
                    entries[position] = _encoded({**self._options, **self._sites[position]})
                except InvalidRequestError as error:
                    self._results[position] = error
            if entries:
                return Batch(sites, list(entries), predict_batch(list(entries.values())))
        return None

    def settle(self, batch: Batch, results: Sequence[Result]) -> None:
        """Takes the results of a batch that was handed out."""
        with self._lock:
            self.was_answered = True
            for position, result in zip(batch.encoded, results, strict=True):
                self._results[position] = result

    def fail(self, batch: Batch, error: NurselogError) -> None:
        """Takes the error of a batch that failed as a whole. A batch that was too large waits again, in parts."""
        with self._lock:
            if (parts := self._parts(batch, error)) is not None:
                self._waiting.extendleft(reversed(parts))
                return
            for position in batch.encoded:
                self._results[position] = error
            if isinstance(error, ConnectionFailedError) or error.status in _STOPPING_STATUSES:
                self._is_stopped = True
                self._failure = error
            self._failure = self._failure or error

    def stop(self) -> None:
        """Hands out no more batches."""
        self._is_stopped = True

    def results(self) -> list[Result]:
        """A result or an error for each site, in their order; sites that were not sent have the error that stopped it.

        Raises:
            NurselogError: The service answered no batch at all.
        """
        if self._failure is not None and not self.was_answered:
            raise self._failure
        return [cast("Result", self._failure if result is None else result) for result in self._results]

    def _take(self) -> range | None:
        with self._lock:
            if self._is_stopped or not self._waiting:
                return None
            sites = self._waiting.popleft()
            rest = sites[self.batch_sites :]
            if rest:
                self._waiting.appendleft(rest)
            return sites[: self.batch_sites]

    def _parts(self, batch: Batch, error: NurselogError) -> list[range] | None:
        """The sites of a batch that was too large, in parts that can be sent; None for any other error."""
        sites = batch.sites
        if isinstance(error, BatchTooLargeError):
            limit = error.details.get("tier_limit")
            if isinstance(limit, int) and 0 < limit < len(batch.encoded):
                self.batch_sites = min(limit, self.batch_sites)
                return [sites]
        if isinstance(error, PayloadTooLargeError) and len(batch.encoded) > 1:
            middle = len(sites) // 2
            return [sites[:middle], sites[middle:]]
        return None


def checked_concurrency(concurrency: int) -> int:
    """The argument; raises TypeError if it is no integer, and ValueError if it is not above 0."""
    check_type("concurrency", concurrency, Integral, "an integer above 0")
    if concurrency < 1:
        raise ValueError(f"concurrency must be above 0, not {concurrency}")
    return concurrency


def _encoded(site: Mapping[str, object]) -> bytes:
    """A site as JSON, without fields of the caller's own that cannot be written as JSON."""
    if "elevation_m" in site and _is_missing(site["elevation_m"]):
        site = {name: value for name, value in site.items() if name != "elevation_m"}
    try:
        return encode(site)
    except InvalidRequestError:
        return encode({name: value for name, value in site.items() if name in _SITE_FIELDS or is_encodable(value)})


def _is_missing(cell: object) -> bool:
    """Whether a cell of pandas, with any of its types, has no value."""
    return cell is None or type(cell).__name__ == "NAType" or (isinstance(cell, Real) and isnan(cell))
