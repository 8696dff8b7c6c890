"""URL and key: their sources, and the errors if they are missing."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from frames import table
from service_process import ServiceProcess

from nurselog import AsyncClient, Client
from nurselog.errors import ConfigurationError

SECRET = "nurse_live_" + 32 * "a"
OPERATIONS = Path(__file__).parents[3] / "docs/operations.md"


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NURSELOG_URL", raising=False)
    monkeypatch.delenv("NURSELOG_API_KEY", raising=False)


def test_url_and_key_are_taken_from_the_environment(service: ServiceProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NURSELOG_URL", service.url)
    monkeypatch.setenv("NURSELOG_API_KEY", service.key)
    with Client() as client:
        assert client.usage()["tier"] == "hypha"


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_a_missing_setting_is_named_with_its_variable(client: type[Client] | type[AsyncClient]) -> None:
    with pytest.raises(ConfigurationError, match=r"url=.*NURSELOG_URL"):
        client(api_key=SECRET)
    with pytest.raises(ConfigurationError, match=r"api_key=.*NURSELOG_API_KEY"):
        client("http://127.0.0.1:8080")


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8080", "ftp://host", "http://", "http://me:word@host", "http://host:b", "http://a..b", "http://xn--a"],
)
def test_a_url_that_cannot_be_used_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ConfigurationError, match="NURSELOG_URL") as raised:
        Client(url, SECRET)
    assert "word" not in str(raised.value)


@pytest.mark.parametrize("client", [Client, AsyncClient])
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:1"),
        ("HTTP_PROXY", "foo://x"),
        ("no_proxy", "[::1"),
        ("SSL_CERT_FILE", "/nonexistent.pem"),
    ],
)
def test_proxies_and_certificates_that_cannot_be_used_are_named_with_their_variables(
    monkeypatch: pytest.MonkeyPatch, client: type[Client] | type[AsyncClient], variable: str, value: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError, match=f"(?i){variable}"):
        client("http://127.0.0.1:8080", SECRET)


def test_a_proxy_whose_name_cannot_be_looked_up_is_an_error_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://a..b")
    with Client("http://nurselog.test", SECRET) as client:
        with pytest.raises(ConfigurationError, match="HTTP_PROXY"):
            client.species()
        with pytest.raises(ConfigurationError, match="HTTP_PROXY"):
            client.predict_table(table(1))


@pytest.mark.parametrize("key", [f"{SECRET}\n", f" {SECRET}", f"{SECRET}\r\nX-Other: 1", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused_without_repeating_it(key: str) -> None:
    with pytest.raises(ConfigurationError, match="NURSELOG_API_KEY") as raised:
        Client("http://127.0.0.1:8080", key)
    assert key.strip() not in str(raised.value)


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_a_client_does_not_show_its_key(client: type[Client] | type[AsyncClient]) -> None:
    assert SECRET not in repr(client("http://127.0.0.1:8080", SECRET))


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_a_connection_is_waited_for_ten_seconds_at_most(client: type[Client] | type[AsyncClient]) -> None:
    connects = [client("http://127.0.0.1:8080", SECRET, timeout=seconds)._http.timeout.connect for seconds in (60, 3)]
    assert connects == [10, 3]


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_the_default_timeout_is_that_of_the_time_limits(client: type[Client] | type[AsyncClient]) -> None:
    [seconds] = re.findall(r"^\| `timeout` \(Python client\) \| (\d+) s ", OPERATIONS.read_text(), re.MULTILINE)
    assert inspect.signature(client).parameters["timeout"].default == float(seconds)
