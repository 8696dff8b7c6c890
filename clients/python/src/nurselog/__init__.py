"""Client of nurselog, a service that predicts the survival of planted trees in Oregon and Washington.

`Client` and `AsyncClient` call the service, `nurselog.types` has the types of its answers, and `nurselog.errors` an
exception for each error code.
"""

from nurselog._async_client import AsyncClient
from nurselog._client import Client
from nurselog.errors import NurselogError

__all__ = ["AsyncClient", "Client", "NurselogError"]
