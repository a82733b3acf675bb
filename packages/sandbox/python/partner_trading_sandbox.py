"""The sandbox of the partner trading API for tests, with the standard library alone (docs/SANDBOX.md#in-your-tests).

As a plugin of pytest (`pytest_plugins = ["partner_trading_sandbox"]` in conftest.py) it has the fixtures `exchange`, one sandbox for all tests of a run, and
`exchange_user`, a user for each test.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

#: The control of a sandbox that runs, such as a container: start_sandbox uses it, and starts none.
SANDBOX_VARIABLE = "PARTNER_TRADING_SANDBOX"

_COMMAND = pathlib.Path(__file__).resolve().parent.parent / "bin.mjs"
_READY_S = 180
_POLL_S = 0.2


class SandboxError(Exception):
    """The sandbox does not start, or its control refuses a call."""


@dataclass(frozen=True)
class ExchangeUser:
    """A user of the test's own, with a WRITABLE key that may send for them."""

    address: str
    private_key: str
    base_url: str
    api_key: str
    api_secret: str
    chain_id: int
    product_type: str

    @property
    def credentials(self) -> Dict[str, Any]:
        """The arguments of the client: `PartnerTrading(**user.credentials)`."""
        names = ("base_url", "api_key", "api_secret", "chain_id", "product_type")
        return {name: getattr(self, name) for name in names}


class Exchange:
    """A running sandbox: `url` of the API, `keys`, `users` and `chains` as in state.json."""

    def __init__(self, control_url: str, process: Optional["subprocess.Popen[bytes]"] = None) -> None:
        self.control_url = control_url.rstrip("/")
        self._process = process
        state = self._state()
        self.url: str = state["baseUrl"]
        self.keys: List[Dict[str, Any]] = state["keys"]
        self.users: List[Dict[str, Any]] = state["users"]
        self.chains: List[Dict[str, Any]] = state["chains"]

    def user(self, chain_id: Optional[int] = None) -> ExchangeUser:
        """Makes a user for one test, so that tests can run at the same time. The chain is the first one by default."""
        made = self.control("/users", {} if chain_id is None else {"chainId": chain_id})
        return ExchangeUser(
            address=made["address"],
            private_key=made["privateKey"],
            base_url=made["baseUrl"],
            api_key=made["apiKey"],
            api_secret=made["apiSecret"],
            chain_id=made["chainId"],
            product_type=made["productType"],
        )

    def control(self, path: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        """Calls the control: a GET without a body, else a POST. Raises SandboxError where it refuses."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.control_url + path, data, {"content-type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise SandboxError(f"{path}: {error.read().decode()} (HTTP {error.code})") from None
        except urllib.error.URLError as error:
            raise SandboxError(f"{self.control_url} does not answer: {error.reason}") from None

    def stop(self) -> None:
        """Ends the sandbox, where this call of start_sandbox started it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def _state(self) -> Dict[str, Any]:
        deadline = time.monotonic() + _READY_S
        while True:
            try:
                state: Dict[str, Any] = self.control("/sandbox")
                return state
            except SandboxError:
                ended = self._process is not None and self._process.poll() is not None
                if ended or time.monotonic() > deadline:
                    raise
                time.sleep(_POLL_S)


def start_sandbox(env: Optional[Mapping[str, str]] = None) -> Exchange:
    """Starts a sandbox, or uses the one that PARTNER_TRADING_SANDBOX names. It ends with this process at the latest.

    `env` has variables of docs/SANDBOX.md#environment, such as SANDBOX_ORDER_DELAY_MS.
    """
    running = os.environ.get(SANDBOX_VARIABLE)
    if running:
        return Exchange(running)
    node = shutil.which("node")
    if node is None:
        raise SandboxError("the sandbox needs Node.js, and there is no program node")
    directory = pathlib.Path(tempfile.mkdtemp(prefix="partner-trading-"))
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [node, str(_COMMAND), "--temporary"],
            env={**os.environ, **(env or {}), "SANDBOX_DIR": str(directory)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            return Exchange(_control_url(directory, process), process)
        except SandboxError as error:
            process.terminate()
            process.wait()
            output.seek(0)
            raise SandboxError(f"{error}\n{output.read().decode()[-4000:]}") from None


def _control_url(directory: pathlib.Path, process: "subprocess.Popen[bytes]") -> str:
    deadline = time.monotonic() + _READY_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            url: str = json.loads((directory / "state.json").read_text())["controlUrl"]
            return url
        except FileNotFoundError:
            time.sleep(_POLL_S)
    raise SandboxError("the sandbox has not started")


try:
    import pytest
except ImportError:
    pass
else:

    @pytest.fixture(scope="session")
    def exchange():
        """One sandbox for all tests of a run."""
        sandbox = start_sandbox()
        yield sandbox
        sandbox.stop()

    @pytest.fixture
    def exchange_user(exchange):
        """A user for one test."""
        return exchange.user()
