"""The service as it ships, in a process of its own, for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from caller import Caller
from command_process import Predict
from faulty_proxy import FaultyProxy
from hypothesis import HealthCheck, settings
from service_process import ServiceProcess, build

from nurselog import AsyncClient, Client

# The time of examples depends on the load of the machine. All examples of a test share one service.
settings.register_profile(
    "shared service",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("shared service")


@pytest.fixture(scope="session")
def service() -> Iterator[ServiceProcess]:
    build()
    with ServiceProcess() as running:
        yield running


@pytest.fixture(scope="session")
def proxy(service: ServiceProcess) -> Iterator[FaultyProxy]:
    with FaultyProxy(service.url) as running:
        yield running


@pytest.fixture
def predict(service: ServiceProcess, tmp_path: Path) -> Predict:
    return Predict(service, tmp_path)


@pytest.fixture(params=[Client, AsyncClient])
def call(request: pytest.FixtureRequest, service: ServiceProcess) -> Caller:
    return Caller(request.param, service)
