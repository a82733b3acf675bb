"""Client of the Partner Trading API: one file, standard library only, Python 3.9 or newer.

    from partner_trading import PartnerTrading

    trading = PartnerTrading()
    for order in trading.pages("/orders", {"status": "New"}):
        print(order["orderId"])

PartnerTrading() reads PARTNER_TRADING_BASE_URL, _API_KEY, _API_SECRET, _CHAIN_ID and _PRODUCT from the
environment. Money, prices and quantities are decimal strings in both directions; floats are refused.

Each request opens a connection of its own. No send is ambiguous because an idle connection was closed.
"""

import base64
import binascii
import hashlib
import hmac
import http.client
import json
import os
import random
import re
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import (
    Any,
    Callable,
    Dict,
    Generic,
    Iterable,
    Iterator,
    List,
    Literal,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypedDict,
    TypeVar,
    Union,
    cast,
)

__all__ = [
    "Answer",
    "ApiError",
    "AuthenticationError",
    "Event",
    "EventStream",
    "NetworkError",
    "Operations",
    "OrderEndedError",
    "PartnerTrading",
    "PartnerTradingError",
    "PriceStream",
    "WaitTimeoutError",
    "WebhookVerificationError",
    "canonical_uri",
    "sign",
    "verify_webhook",
]
__version__ = "0.3.0"

API_PREFIX = "/api/v1"
FINAL_ORDER_STATUSES = frozenset({"Filled", "Canceled", "Expired", "Rejected", "Failed"})

QueryValue = Union[str, int, bool, Decimal, Sequence[str], None]
Query = Union[str, Mapping[str, QueryValue]]
Headers = Mapping[str, str]

# A heartbeat comes every 15 s, so a stream without a byte for this long is broken.
_STREAM_SILENCE_S = 35.0
_BACKOFF_S = 0.25
_BACKOFF_MAX_S = 8.0
_RECONNECT_MAX_S = 30.0
# A longer Retry-After is left to the caller.
_RETRY_AFTER_MAX_S = 60.0
_CLOCK_WINDOW_MS = 45_000
_LINE_MAX = 4 * 1024 * 1024
# Calls that do not act, or act once however often they are made. Those to /send carry an Idempotency-Key.
_REPEATABLE = re.compile(r"/(send|calldata|preview|tx|1ct/prepare)$")
_PATH = re.compile(r"/[A-Za-z0-9\-._~!$&'()*+,;=:@/]*")
_DOT_SEGMENT = re.compile(r"/\.{1,2}(/|$)")


class PartnerTradingError(Exception):
    """Base class of all errors that this module raises."""


class ApiError(PartnerTradingError):
    """Reports a refusal by the API. `err_code` is stable and meant for programs; quote `uuid` to support."""

    def __init__(
        self, status: int, envelope: Mapping[str, Any], message: Optional[str] = None, retry_after: int = 0
    ) -> None:
        self.status = status
        self.retry_after = retry_after
        self.code: int = envelope.get("code", status)
        self.err_code: Optional[str] = envelope.get("errCode")
        self.param: Optional[str] = envelope.get("param")
        self.retryable: bool = envelope.get("retryable", False) is True
        self.uuid: Optional[str] = envelope.get("uuid")
        self.revert: Optional[str] = envelope.get("revert")
        self.oldest_cursor: Optional[str] = envelope.get("oldestCursor")
        self.doc_url: Optional[str] = envelope.get("docUrl")
        # Of a send: repeat the call with this key to learn what became of it.
        self.idempotency_key: Optional[str] = None
        details = "".join(f", {name} {value}" for name, value in self._details() if value)
        super().__init__(
            f"{self.err_code or self.code}: {message or envelope.get('errMsg')} (HTTP {status}{details})"
        )

    def _details(self) -> Iterable[Tuple[str, Optional[str]]]:
        return (("param", self.param), ("revert", self.revert), ("uuid", self.uuid), ("see", self.doc_url))


class AuthenticationError(ApiError):
    """Reports code 401, which is the same for every cause. `cause` is set by a sandbox only."""

    def __init__(self, status: int, envelope: Mapping[str, Any], cause: Optional[str]) -> None:
        self.cause = cause
        t = envelope.get("t")
        self.clock_skew_ms: Optional[int] = int(time.time() * 1000) - t if isinstance(t, int) else None
        if cause:
            hint = f"the sandbox says: {cause}"
        elif self.clock_skew_ms is not None and abs(self.clock_skew_ms) > _CLOCK_WINDOW_MS:
            hint = f"this machine's clock is {self.clock_skew_ms / 1000:.0f} s off the server's"
        else:
            hint = (
                "check the key's IP whitelist, the clock, the secret, the scope, and that the key may write"
            )
        super().__init__(status, envelope, f"Unauthorized; {hint}")


class NetworkError(PartnerTradingError, ConnectionError):
    """Reports that no complete answer came.

    A POST or DELETE may have acted, unless `unsent`. With `idempotency_key` a send can be repeated safely.
    """

    def __init__(self, message: str, unsent: bool = False) -> None:
        super().__init__(message)
        self.unsent = unsent
        self.idempotency_key: Optional[str] = None


class OrderEndedError(PartnerTradingError):
    """Reports that an order reached a final status other than those waited for, or was never placed."""

    def __init__(self, message: str, order: Optional[Mapping[str, Any]]) -> None:
        super().__init__(message)
        self.order = order


class WaitTimeoutError(PartnerTradingError, TimeoutError):
    """Reports that an order did not reach the status in time. The order is still alive."""


class WebhookVerificationError(PartnerTradingError):
    """Reports a request that must not be trusted: answer it with 400."""


class Event(Dict[str, Any]):
    """Holds an event as GET /events answers it.

    `cursor` is its place in the log: store it, and pass it as `after` to resume.
    """

    cursor: str = ""


@dataclass(frozen=True)
class Answer:
    """Holds a successful answer: `data` of the envelope, and what came with it.

    Names in `headers` are lower case.
    """

    data: Any
    uuid: str
    t: int
    headers: Headers

    @property
    def indexed_block(self) -> Optional[int]:
        """Returns the block that the data was read at."""
        value = self.headers.get("x-indexed-block")
        return int(value) if value else None

    @property
    def event_cursor(self) -> Optional[str]:
        """Returns, for a list, the cursor from which `events(after=...)` continues it."""
        return self.headers.get("x-event-cursor")

    @property
    def key_expires_at(self) -> Optional[int]:
        """Returns when the API key ends, Unix seconds, from 14 days before that on."""
        value = self.headers.get("x-key-expires-at")
        return int(value) if value else None


def canonical_uri(path: str, query: Optional[Query] = None) -> str:
    """Returns the path from /api/v1 with its query sorted by name: what is signed, and exactly what is sent.

    A query given as a string is taken as percent-encoded already.
    """
    if not path.startswith("/"):
        raise ValueError(f"a path begins with a slash: {path!r}")
    full = path if path == API_PREFIX or path.startswith(f"{API_PREFIX}/") else API_PREFIX + path
    if not _PATH.fullmatch(full) or "//" in full or _DOT_SEGMENT.search(full):
        raise ValueError(f"not a path of this API (the query is an argument of its own): {path!r}")
    if isinstance(query, str):
        pairs = [pair.partition("=") for pair in query.split("&") if pair]
        encoded = [(name, equals + value) for name, equals, value in pairs]
    else:
        given = (
            (name, _query_text(name, value)) for name, value in (query or {}).items() if value is not None
        )
        encoded = [(_quoted(name), f"={_quoted(value)}") for name, value in given]
    return full + ("?" + "&".join(name + rest for name, rest in sorted(encoded)) if encoded else "")


def sign(
    secret: str, method: str, uri: str, timestamp: str, nonce: str, body: Union[str, bytes] = b""
) -> str:
    """Returns the value of x-api-sign. `uri` is a canonical_uri, `body` exactly what is sent."""
    raw = body.encode() if isinstance(body, str) else body
    payload = f"{method}\n{uri}\n{timestamp}\n{nonce}\n".encode() + raw
    return hmac.new(secret.encode(), payload, hashlib.sha256).hexdigest()


def verify_webhook(
    secret: Union[str, Sequence[str]], headers: Headers, body: Union[str, bytes], tolerance: float = 300
) -> Any:
    """Returns the event in a webhook's body, once a signature in its headers fits.

    Pass the body's bytes as they came: parsed and written again, they no longer fit. While a secret is
    rotated, pass both. Drop the request where its webhook-id was received before.
    """
    raw = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = given.get("webhook-id"), given.get("webhook-timestamp", "")
    signatures = given.get("webhook-signature")
    if not message_id or not timestamp or not signatures:
        raise WebhookVerificationError(
            "a header of Standard Webhooks is missing: webhook-id, -timestamp or -signature"
        )
    if not re.fullmatch(r"[0-9]{1,15}", timestamp) or abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookVerificationError(
            "the timestamp is outside the tolerance: a replay, or a clock that is off"
        )
    signed = f"{message_id}.{timestamp}.".encode() + raw
    keys = [_webhook_key(one) for one in ([secret] if isinstance(secret, str) else secret)]
    expected = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    offered = [value[3:].encode() for value in signatures.split(" ") if value.startswith("v1,")]
    # No short cut at a match: the time taken depends on nothing but the number of signatures.
    if not any([hmac.compare_digest(one, other) for one in expected for other in offered]):
        raise WebhookVerificationError("no signature fits: another secret, or a body that is not as it came")
    return json.loads(raw, parse_float=Decimal)


class PartnerTrading:
    """Calls the API with one key on one chain and product. Safe for use by several threads.

    Arguments left out are read from the environment. `timeout` is in seconds, for each try; `retries` counts
    the tries after the first. Calls that cannot act twice are repeated: reads, calldata, records, and sends,
    whose tries carry one Idempotency-Key. Other calls are repeated only where they did not reach the API, or
    a rate limit refused them.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        api_secret: Optional[str] = None,
        chain_id: Union[int, str, None] = None,
        product_type: Optional[str] = None,
        timeout: float = 30,
        retries: int = 2,
    ) -> None:
        root = _setting("base_url", base_url, "BASE_URL").rstrip("/")
        self.base_url = root[: -len(API_PREFIX)] if root.endswith(API_PREFIX) else root
        if not re.match(r"https?://[^/?#]+[^?#]*$", self.base_url):
            raise ValueError("base_url is an http or https URL, such as https://api.example.com")
        self.api_key = _setting("api_key", api_key, "API_KEY")
        self._secret = _Secret(_setting("api_secret", api_secret, "API_SECRET"))
        self.chain_id = _setting("chain_id", chain_id, "CHAIN_ID")
        self.product_type = _setting("product_type", product_type, "PRODUCT")
        self.timeout = timeout
        self.retries = retries
        self._opener = urllib.request.build_opener(_PlainAnswers)

    def __repr__(self) -> str:
        scope = f"chain_id={self.chain_id!r}, product_type={self.product_type!r}"
        return f"PartnerTrading(base_url={self.base_url!r}, api_key={self.api_key!r}, {scope})"

    def get(self, path: str, query: Optional[Query] = None) -> Any:
        """Returns the data that a GET answers: `trading.get("/orders", {"status": "New"})`."""
        return self.request("GET", path, query).data

    def post(
        self, path: str, body: Optional[Mapping[str, Any]] = None, idempotency_key: Optional[str] = None
    ) -> Any:
        """Returns the data that a POST answers. A send gets an idempotency_key where none is given."""
        return self.request("POST", path, None, body, idempotency_key).data

    def delete(self, path: str, idempotency_key: Optional[str] = None) -> Any:
        """Returns the data that a DELETE answers."""
        return self.request("DELETE", path, None, None, idempotency_key).data

    def request(
        self,
        method: str,
        path: str,
        query: Optional[Query] = None,
        body: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        min_block: Optional[int] = None,
    ) -> Answer:
        """Returns the whole answer. A GET with `min_block` waits up to 5 s until that block is indexed."""
        method, uri, raw = method.upper(), canonical_uri(path, query), _body_bytes(body)
        key = idempotency_key or (str(uuid.uuid4()) if method != "GET" and uri.endswith("/send") else None)
        headers = {"Idempotency-Key": key} if key else {}
        if min_block is not None:
            headers["x-min-block"] = str(min_block)
        try:
            return self._with_retries(method, uri, lambda: self._call(method, uri, raw, headers))
        except (ApiError, NetworkError) as error:
            error.idempotency_key = key
            raise

    @property
    def api(self) -> "Operations":
        """The operations by name, typed: `trading.api.orders.send({"symbol": "AAPL", ...})`."""
        return Operations(self)

    def pages(self, path: str, query: Optional[Mapping[str, QueryValue]] = None) -> Iterator[Dict[str, Any]]:
        """Yields the rows of a list by pages, exact while rows arrive; of /events, until the log's end."""
        follows_log = path.rstrip("/").endswith("/events")
        following: Dict[str, QueryValue] = {}
        while True:
            data = self.get(path, {**(query or {}), **following})
            rows: List[Dict[str, Any]] = data if isinstance(data, list) else data["rows"]
            yield from rows
            cursor = None if isinstance(data, list) else data.get("nextCursor")
            if cursor is None or (follows_log and not rows):
                return
            following = {"after" if follows_log else "cursor": cursor}

    def events(
        self, after: Optional[str] = None, types: Union[str, Sequence[str], None] = None
    ) -> "EventStream":
        """Opens the stream of events, and returns an iterator of them that reconnects: each event comes once.

        Without `after` it begins with what happens from now on. `types` selects, such as "order.*".
        """
        return EventStream(self, after, types)

    def prices(self, symbols: Union[str, Sequence[str], None] = None) -> "PriceStream":
        """Opens the stream of prices, and returns an iterator of them that reconnects.

        It begins with the price of each stock; without `symbols` it has all that are listed.
        """
        return PriceStream(self, symbols)

    def wait_for_order(
        self,
        order: Union[str, Mapping[str, Any]],
        status: Union[str, Sequence[str]] = "Filled",
        timeout: float = 120,
    ) -> Dict[str, Any]:
        """Returns the order once it has the status, or one of several. Follows the stream of events.

        The order is named by its orderId, by the answer of a send, or as {"txHash": ...} or
        {"clientOrderId": ...}. Raises OrderEndedError where it ends otherwise, and WaitTimeoutError after
        `timeout` seconds; a limit order may rest for days.
        """
        wanted = {status} if isinstance(status, str) else set(status)
        # Opened before the order is read: a change in between is then on the stream.
        with self.events(types=["order.*", "send.failed"]) as stream:
            timer = threading.Timer(timeout, stream.close)
            timer.daemon = True
            timer.start()
            try:
                found = _read_order(self, order)
                while found is None or found["status"] not in wanted:
                    if found is not None and found["status"] in FINAL_ORDER_STATUSES:
                        raise OrderEndedError(f"order {found['orderId']} ended as {found['status']}", found)
                    found = _next_change(stream, order, "not indexed" if found is None else found["status"])
                return found
            finally:
                timer.cancel()

    def _with_retries(self, method: str, uri: str, call: Callable[[], Answer]) -> Answer:
        repeatable = method == "GET" or _REPEATABLE.search(uri) is not None
        for attempt in range(self.retries + 1):
            try:
                return call()
            except PartnerTradingError as error:
                pause = _pause_before_retry(error, attempt, repeatable)
                if pause is None or attempt == self.retries:
                    raise
                time.sleep(pause)
        raise AssertionError("retries is negative")

    def _call(self, method: str, uri: str, body: bytes, headers: Headers) -> Answer:
        with self._open(method, uri, body, headers, self.timeout) as response:
            try:
                text = response.read()
            except (OSError, http.client.HTTPException) as error:
                raise _network_error(method, self.base_url, error) from error
            return _to_answer(response, text)

    def _open(
        self, method: str, uri: str, body: bytes, headers: Headers, timeout: float
    ) -> http.client.HTTPResponse:
        """Sends one try, signed anew: a nonce is good for one request, and a timestamp for 45 s."""
        timestamp, nonce = str(int(time.time() * 1000)), str(uuid.uuid4())
        signed = {
            "x-api-key": self.api_key,
            "x-api-ts": timestamp,
            "x-api-nonce": nonce,
            "x-api-chain-id": self.chain_id,
            "x-api-p": self.product_type,
            "x-api-sign": sign(self._secret.value, method, uri, timestamp, nonce, body),
            "user-agent": f"partner-trading-python/{__version__}",
            **({"content-type": "application/json"} if body else {}),
            **headers,
        }
        request = urllib.request.Request(self.base_url + uri, body or None, signed, method=method)
        try:
            response: http.client.HTTPResponse = self._opener.open(request, timeout=timeout)
            return response
        except (OSError, http.client.HTTPException) as error:
            raise _network_error(method, self.base_url, error) from error


_Message = TypeVar("_Message")
_StreamT = TypeVar("_StreamT", bound="_Stream[Any]")


class _Stream(Generic[_Message]):
    """Iterates over the messages of a stream, and opens a lost connection again."""

    def __init__(self, client: PartnerTrading, path: str, query: Mapping[str, QueryValue]) -> None:
        self._client = client
        self._uri = canonical_uri(path, query)
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._response: Optional[http.client.HTTPResponse] = None
        self._handle: Optional[socket.socket] = None
        self._retry_s = 1.0
        client._with_retries("GET", self._uri, self._connect)

    def __enter__(self: _StreamT) -> _StreamT:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
        self._disconnect()

    def __iter__(self: _StreamT) -> _StreamT:
        return self

    def __next__(self) -> _Message:
        failures = 0
        while not self._closed.is_set():
            retry_after = 0
            try:
                if self._response is None:
                    self._connect()
                failures = 0
                event = self._read_event()
                if event is not None:
                    return event
                self._disconnect()
            except (ApiError, NetworkError) as error:
                self._disconnect()
                if isinstance(error, ApiError):
                    if not error.retryable:
                        raise
                    retry_after = error.retry_after
                failures += 1
            # Spreads clients that lost the same server.
            pause = min(self._retry_s * 2.0**failures, _RECONNECT_MAX_S) * random.uniform(0.5, 1)
            self._closed.wait(max(pause, retry_after))
        self._disconnect()
        raise StopIteration

    def close(self) -> None:
        """Ends the iteration, also while another thread waits for the next event."""
        self._closed.set()
        with self._lock:
            if self._handle:
                try:
                    self._handle.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # It was cut already.

    @property
    def closed(self) -> bool:
        """Returns whether close() was called."""
        return self._closed.is_set()

    def _connect(self) -> Answer:
        headers = {"Accept": "text/event-stream", **self._resumption()}
        response = self._client._open("GET", self._uri, b"", headers, _STREAM_SILENCE_S)
        if response.status != 200:
            with response:
                return _to_answer(response, response.read())
        with self._lock:
            self._response = response
            # A second handle of the socket, for close(): the reading thread is inside the response.
            self._handle = socket.fromfd(response.fileno(), socket.AF_INET, socket.SOCK_STREAM)
        return Answer(None, response.headers.get("x-request-id", ""), 0, {})

    def _disconnect(self) -> None:
        with self._lock:
            if self._handle:
                self._handle.close()
            if self._response:
                self._response.close()
            self._handle = self._response = None

    def _read_event(self) -> Optional[_Message]:
        """Returns the next event of this connection, or None at its end. A part of an event is dropped."""
        fields: Dict[str, str] = {}
        for line in self._lines():
            if line:
                name, _colon, value = line.partition(":")
                fields[name] = value[1:] if value.startswith(" ") else value
                continue
            event = self._dispatch(fields)
            if event is not None:
                return event
            fields = {}
        return None

    def _lines(self) -> Iterator[str]:
        while self._response is not None and not self._closed.is_set():
            try:
                line = self._response.readline(_LINE_MAX)
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise _network_error("GET", self._client.base_url, error) from error
            if not line.endswith(b"\n"):
                return
            yield line.rstrip(b"\r\n").decode()

    def _resumption(self) -> Dict[str, str]:
        """Returns the headers that say where the next connection goes on."""
        return {}

    def _dispatch(self, fields: Mapping[str, str]) -> Optional[_Message]:
        if fields.get("retry", "").isdigit():
            self._retry_s = int(fields["retry"]) / 1000
        return self._take(fields)

    def _take(self, fields: Mapping[str, str]) -> Optional[_Message]:
        raise NotImplementedError


class EventStream(_Stream[Event]):
    """Iterates over the events of a key's log as they happen. As a context manager it closes its connection.

    A lost connection is opened again with the id of the last event. Iteration ends with close(), which
    another thread may call. What no new connection mends is raised: AuthenticationError, or ApiError
    CURSOR_EXPIRED.
    """

    def __init__(
        self, client: PartnerTrading, after: Optional[str], types: Union[str, Sequence[str], None]
    ) -> None:
        self._sequence = 0
        self.cursor: Optional[str] = after
        super().__init__(client, "/events/stream", {"after": after, "types": types})

    def _resumption(self) -> Dict[str, str]:
        return {"Last-Event-ID": self.cursor} if self.cursor else {}

    def _take(self, fields: Mapping[str, str]) -> Optional[Event]:
        if "id" in fields:
            self.cursor = fields["id"]
        if fields.get("event") in (None, "heartbeat", "closing"):
            return None
        event = Event(json.loads(fields["data"], parse_float=Decimal))
        event.cursor = self.cursor or ""
        if event["sequence"] <= self._sequence:
            return None
        self._sequence = event["sequence"]
        return event


class PriceStream(_Stream[Dict[str, Any]]):
    """Iterates over prices as they change. As a context manager it closes its connection.

    Each connection begins with the price of each stock, so nothing is missing after one was lost. `market`
    has the session, and whether quotes are stale.
    """

    def __init__(self, client: PartnerTrading, symbols: Union[str, Sequence[str], None]) -> None:
        self.market: Dict[str, Any] = {}
        super().__init__(client, "/prices/stream", {"symbols": symbols})

    def _take(self, fields: Mapping[str, str]) -> Optional[Dict[str, Any]]:
        if fields.get("event") in ("status", "heartbeat"):
            self.market = json.loads(fields["data"])
        if fields.get("event") != "price":
            return None
        price: Dict[str, Any] = json.loads(fields["data"], parse_float=Decimal)
        return price


class _Secret:
    """Holds the API secret where neither repr() nor vars() of the client shows it."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "<hidden>"


class _PlainAnswers(urllib.request.HTTPErrorProcessor):
    """Hands out every answer as it is. A redirect is not followed: its target would get signed headers."""

    def http_response(self, _request: Any, response: Any) -> Any:
        return response

    def https_response(self, _request: Any, response: Any) -> Any:
        return response


def _setting(name: str, given: Union[int, str, None], variable: str) -> str:
    value = str(given if given is not None else os.environ.get(f"PARTNER_TRADING_{variable}", "")).strip()
    if not value:
        raise ValueError(
            f"{name} is missing: pass it, or set the environment variable PARTNER_TRADING_{variable}"
        )
    return value


def _quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="-._~")


def _query_text(name: str, value: QueryValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(value)
    return str(_plain(name, value))


def _plain(name: str, value: Any) -> Any:
    """Returns a value for JSON, with each Decimal as a string. Refuses floats: they round amounts."""
    if isinstance(value, float):
        raise TypeError(f"{name} is a float: pass amounts as str or Decimal")
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, Mapping):
        return {key: _plain(f"{name}.{key}", one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(name, one) for one in value]
    return value


def _body_bytes(body: Optional[Mapping[str, Any]]) -> bytes:
    if body is None:
        return b""
    return json.dumps(_plain("body", body), ensure_ascii=False, separators=(",", ":")).encode()


def _to_answer(response: http.client.HTTPResponse, text: bytes) -> Answer:
    """Returns a successful answer. Raises ApiError for a failure, and for an answer without an envelope."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    seconds = headers.get("retry-after", "")
    retry_after = int(seconds) if seconds.isdigit() else 0
    try:
        envelope = json.loads(text, parse_float=Decimal)
    except ValueError:
        envelope = None
    if not isinstance(envelope, dict) or "code" not in envelope:
        # A proxy's own answer, or a wrong base_url.
        outage = {"code": response.status, "retryable": response.status in (429, 502, 503, 504)}
        raise ApiError(response.status, outage, "the answer is not of this API; check base_url", retry_after)
    if envelope["code"] == 401:
        raise AuthenticationError(response.status, envelope, headers.get("x-sandbox-auth-cause"))
    if response.status != 200 or envelope["code"] != 200:
        raise ApiError(response.status, envelope, None, retry_after)
    return Answer(envelope["data"], envelope["uuid"], envelope["t"], headers)


def _network_error(method: str, base_url: str, cause: Exception) -> NetworkError:
    reason = getattr(cause, "reason", cause)
    unsent = isinstance(reason, (ConnectionRefusedError, socket.gaierror))
    outcome = "" if method == "GET" else "; nothing was sent" if unsent else "; the call may have acted"
    return NetworkError(
        f"no complete answer from {base_url}: {reason or type(reason).__name__}{outcome}", unsent
    )


def _pause_before_retry(error: PartnerTradingError, attempt: int, repeatable: bool) -> Optional[float]:
    """Returns the seconds to wait before another try, or None where there must be none."""
    backoff = min(_BACKOFF_S * 2.0**attempt, _BACKOFF_MAX_S) * random.uniform(0.5, 1)
    if isinstance(error, NetworkError):
        return backoff if repeatable or error.unsent else None
    if not isinstance(error, ApiError) or not error.retryable:
        return None
    # A rate limit refuses before anything is done; after any other failure the call may have acted.
    if not repeatable and error.err_code != "RATE_LIMITED":
        return None
    return max(backoff, error.retry_after) if error.retry_after <= _RETRY_AFTER_MAX_S else None


def _read_order(client: PartnerTrading, order: Union[str, Mapping[str, Any]]) -> Optional[Dict[str, Any]]:
    """Returns the order as it is now, or None where it is not indexed yet."""
    found: Dict[str, Any]
    if isinstance(order, str):
        found = client.get(f"/orders/{order}")
    elif "requestId" in order:
        sent = client.get(f"/sends/{order['requestId']}")
        _raise_unplaced(sent)
        if not sent["mapping"] or not sent["mapping"]["orderId"]:
            return None
        found = client.get(f"/orders/{sent['mapping']['orderId']}")
    elif "clientOrderId" in order:
        found = client.get(f"/orders/client/{order['clientOrderId']}")
    else:
        try:
            found = client.get(f"/orders/tx/{order['txHash']}")
        except ApiError as error:
            if error.err_code != "TRANSACTION_NOT_FOUND":
                raise
            return None
    return found


def _next_change(stream: EventStream, order: Union[str, Mapping[str, Any]], status: str) -> Dict[str, Any]:
    for event in stream:
        data: Dict[str, Any] = event["data"]
        if event["resource"] == "orders" and _is_of(order, data):
            return data
        if isinstance(order, Mapping) and data.get("requestId", "") == order.get("requestId"):
            _raise_unplaced(data)
    raise WaitTimeoutError(f"the order is still {status}")


def _is_of(order: Union[str, Mapping[str, Any]], data: Mapping[str, Any]) -> bool:
    if isinstance(order, str):
        return data.get("orderId") == order.lower()
    mapping = data.get("mapping") or {}
    if "requestId" in order:
        return bool(mapping.get("mappingId") == (order["mapping"] or {}).get("mappingId"))
    if "clientOrderId" in order:
        return bool(mapping.get("clientOrderId") == order["clientOrderId"])
    return bool(data.get("txHash") == order["txHash"].lower())


def _raise_unplaced(sent: Mapping[str, Any]) -> None:
    if sent["status"] == "failed" and sent["final"]:
        raise OrderEndedError(f"the order was not placed: {sent['errCode']}", None)


def _webhook_key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("a webhook's secret is whsec_ and base64, as POST /webhooks answered it")
    return key


def _segment(value: str) -> str:
    if "/" in value:
        raise ValueError(f"a part of a path has no slash: {value!r}")
    return value


# Written by `npm run client:generate` from docs/openapi.json from here on; not to be edited.

Integer = int

Address = str

UnixSeconds = int

ApiDecimal = str

ErrCode = str

Session = Literal["pre", "regular", "post", "overnight", "closed"]

ActionType = str

ActionStatus = Literal["PENDING", "IN_PROGRESS", "COMPLETE"]

DelegationStatus = Literal["enable", "disabled", "pending"]

Hash = str

Bytes = str

CallArguments = Dict[str, Any]

PreflightCheckName = str

SendOperation = str

SendStatus = Literal["accepted", "submitted", "confirmed", "failed"]

OperationType = Literal["trade", "deposit", "withdraw", "stock-deposit", "stock-withdraw"]

MappingStatus = Literal["pending", "indexed", "reverted"]

MappingSource = Literal["send", "attributed", "recorded"]

OrderStatus = Literal["Init", "Pending", "New", "Partial filled", "Filled", "Canceled", "Expired", "Rejected", "Failed"]

OnChainStatus = Literal["placing", "open", "canceling", "history"]

Side = Literal["Buy", "Sell"]

OrderType = Literal["Market", "Limit"]

TimeInForce = Literal["DAY", "GTC", "OPG", "IOC", "FOK", "GTX", "GTD", "CLS"]

OpenStatus = Literal["placing", "open", "canceling"]

EndedStatus = Literal["Filled", "Canceled", "Expired", "Rejected", "Failed"]

OperationStatus = Literal["pending", "processing", "completed", "failed", "canceled"]

ActivityKind = str

BlockNumber = int

WebhookStatus = Literal["enabled", "disabled"]

WebhookDisabledReason = str

EventType = str

DeliveryStatus = Literal["pending", "delivered", "dead"]

Health = Literal["healthy", "behind", "unavailable"]

CallingKey = TypedDict(
    "CallingKey",
    {
        "apiKey": "str",
        "name": "str",
        "access": "str",
        "scopes": "List[KeyScope]",
        "userAddress": "Optional[Address]",
        "expiresAt": "Optional[UnixSeconds]",
        "previousSecretUntil": "Optional[UnixSeconds]",
        "limits": "KeyLimits",
        "policy": "CallingKeyPolicy",
        "cancelAfter": "Optional[CancelAfter]",
    },
)

KeyScope = TypedDict(
    "KeyScope",
    {
        "chainId": "Integer",
        "productType": "str",
    },
)

KeyLimits = TypedDict(
    "KeyLimits",
    {
        "windowSeconds": "Integer",
        "reads": "Optional[Integer]",
        "writes": "Optional[Integer]",
        "inFlight": "Optional[Integer]",
    },
)

CallingKeyPolicy = TypedDict(
    "CallingKeyPolicy",
    {
        "dailyNotionalCap": "Optional[ApiDecimal]",
        "remaining": "Optional[ApiDecimal]",
        "allowedSymbols": "List[str]",
        "allowedOperations": "List[str]",
        "expiresAt": "Optional[UnixSeconds]",
        "killed": "bool",
    },
)

CancelAfter = TypedDict(
    "CancelAfter",
    {
        "seconds": "Optional[Integer]",
        "cancelAt": "Optional[UnixSeconds]",
        "firedAt": "Optional[UnixSeconds]",
        "requested": "Integer",
        "refused": "Integer",
        "errCode": "Optional[ErrCode]",
    },
)

KeyRotateInput = TypedDict(
    "KeyRotateInput",
    {
        "overlapSeconds": "int",
    }, total=False,
)

RotatedKey = TypedDict(
    "RotatedKey",
    {
        "apiKey": "str",
        "apiSecret": "str",
        "previousSecretUntil": "UnixSeconds",
    },
)

Config = TypedDict(
    "Config",
    {
        "chainId": "Integer",
        "productType": "str",
        "contracts": "Contracts",
        "cashierBuffer": "CashierBuffer",
        "exchangeFeeConfig": "ExchangeFeeConfig",
        "cashierTokenConfig": "List[CashierToken]",
    },
)

Contracts = TypedDict(
    "Contracts",
    {
        "stockRouter": "Address",
        "cashier": "Address",
        "stock": "Address",
        "oneClickRouter": "Address",
        "cashSpender": "Address",
        "stockSpender": "Address",
    },
)

CashierBuffer = TypedDict(
    "CashierBuffer",
    {
        "creditBuffer": "ApiDecimal",
        "creditBufferCapacity": "ApiDecimal",
    },
)

ExchangeFeeConfig = TypedDict(
    "ExchangeFeeConfig",
    {
        "chainId": "Integer",
        "productType": "str",
        "buyFeeBps": "Integer",
        "sellFeeBps": "Integer",
        "minFee": "ApiDecimal",
    },
)

CashierToken = TypedDict(
    "CashierToken",
    {
        "tokenAddress": "Address",
        "symbol": "str",
        "name": "str",
        "decimals": "Integer",
        "minAmount": "ApiDecimal",
        "usdRate": "ApiDecimal",
        "depositPaused": "bool",
        "withdrawPaused": "bool",
        "withdrawBuffer": "ApiDecimal",
        "withdrawBufferCapacity": "ApiDecimal",
        "depositFeeBps": "Integer",
        "withdrawFeeBps": "Integer",
        "maxInstantDeposit": "ApiDecimal",
        "maxInstantWithdrawal": "ApiDecimal",
    },
)

StockSymbol = TypedDict(
    "StockSymbol",
    {
        "symbol": "str",
        "name": "str",
        "contractAddress": "Address",
        "contractSymbol": "str",
        "contractName": "str",
        "decimals": "Integer",
        "tradable": "bool",
        "fractionable": "bool",
        "overnightTradable": "bool",
        "price": "Optional[ApiDecimal]",
        "change24H": "Optional[ApiDecimal]",
        "change24HPercent": "Optional[ApiDecimal]",
        "volume24H": "Optional[ApiDecimal]",
        "logoUrl": "Optional[str]",
        "pdfUrl": "Optional[str]",
        "lastUpdateTimestamp": "Optional[UnixSeconds]",
        "minNotional": "ApiDecimal",
        "quantityStep": "ApiDecimal",
        "priceStep": "ApiDecimal",
    },
)

ListedPrice = TypedDict(
    "ListedPrice",
    {
        "symbol": "str",
        "basicInfo": "Optional[Quote]",
        "onChain": "TokenPrice",
    },
)

Quote = TypedDict(
    "Quote",
    {
        "symbol": "str",
        "name": "str",
        "price": "ApiDecimal",
        "bid": "Optional[ApiDecimal]",
        "ask": "Optional[ApiDecimal]",
        "bidSize": "Optional[ApiDecimal]",
        "askSize": "Optional[ApiDecimal]",
        "open": "Optional[ApiDecimal]",
        "high": "Optional[ApiDecimal]",
        "low": "Optional[ApiDecimal]",
        "previousClose": "Optional[ApiDecimal]",
        "volume": "Optional[ApiDecimal]",
        "change24H": "Optional[ApiDecimal]",
        "change24HPercent": "Optional[ApiDecimal]",
        "session": "Session",
        "timestamp": "UnixSeconds",
        "stale": "bool",
        "source": "str",
    },
)

TokenPrice = TypedDict(
    "TokenPrice",
    {
        "chainId": "Integer",
        "productType": "str",
        "contractAddress": "Address",
        "multiplier": "ApiDecimal",
        "tradable": "bool",
        "price": "Optional[ApiDecimal]",
        "bid": "Optional[ApiDecimal]",
        "ask": "Optional[ApiDecimal]",
    },
)

Price = TypedDict(
    "Price",
    {
        "basicInfo": "Quote",
        "onChain": "Optional[TokenContext]",
    },
)

TokenContext = TypedDict(
    "TokenContext",
    {
        "chainId": "Integer",
        "productType": "str",
        "contractAddress": "Address",
        "contractSymbol": "str",
        "contractName": "str",
        "decimals": "Integer",
        "totalSupply": "ApiDecimal",
        "multiplier": "ApiDecimal",
        "tradable": "bool",
        "price": "Optional[ApiDecimal]",
        "bid": "Optional[ApiDecimal]",
        "ask": "Optional[ApiDecimal]",
    },
)

PriceBar = TypedDict(
    "PriceBar",
    {
        "timestamp": "UnixSeconds",
        "open": "ApiDecimal",
        "high": "ApiDecimal",
        "low": "ApiDecimal",
        "close": "ApiDecimal",
        "volume": "ApiDecimal",
    },
)

CorporateAction = TypedDict(
    "CorporateAction",
    {
        "actionId": "str",
        "symbol": "str",
        "type": "ActionType",
        "subType": "str",
        "declarationDate": "Optional[str]",
        "exDate": "str",
        "recordDate": "Optional[str]",
        "payableDate": "Optional[str]",
        "cash": "Optional[ApiDecimal]",
        "oldRate": "Optional[ApiDecimal]",
        "newRate": "Optional[ApiDecimal]",
        "status": "ActionStatus",
        "multiplierBefore": "Optional[ApiDecimal]",
        "multiplierAfter": "Optional[ApiDecimal]",
    },
)

Clock = TypedDict(
    "Clock",
    {
        "timestamp": "UnixSeconds",
        "isOpen": "bool",
        "session": "Session",
        "nextOpenAt": "UnixSeconds",
        "nextCloseAt": "UnixSeconds",
    },
)

TradingDay = TypedDict(
    "TradingDay",
    {
        "date": "str",
        "overnightOpenAt": "UnixSeconds",
        "preOpenAt": "UnixSeconds",
        "openAt": "UnixSeconds",
        "closeAt": "UnixSeconds",
        "postCloseAt": "UnixSeconds",
        "isEarlyClose": "bool",
    },
)

Delegation = TypedDict(
    "Delegation",
    {
        "status": "DelegationStatus",
        "delegatee": "Address",
        "userAddress": "Address",
        "nonce": "Integer",
        "txHash": "Optional[Hash]",
    },
)

OneClickPrepareInput = TypedDict(
    "OneClickPrepareInput",
    {
        "userAddress": "str",
        "deadline": "int",
    },
)

DelegationPayload = TypedDict(
    "DelegationPayload",
    {
        "delegatee": "Address",
        "signPayload": "TypedData",
        "typedData": "WalletTypedData",
        "nonce": "Integer",
        "deadline": "UnixSeconds",
    },
)

TypedData = TypedDict(
    "TypedData",
    {
        "domain": "TypedDataDomain",
        "types": "TypedDataTypes",
        "primaryType": "str",
        "message": "DelegateMessage",
    },
)

TypedDataDomain = TypedDict(
    "TypedDataDomain",
    {
        "name": "str",
        "version": "str",
        "chainId": "Integer",
        "verifyingContract": "Address",
    },
)

TypedDataTypes = TypedDict(
    "TypedDataTypes",
    {
        "Delegate": "List[TypedDataField]",
    },
)

TypedDataField = TypedDict(
    "TypedDataField",
    {
        "name": "str",
        "type": "str",
    },
)

DelegateMessage = TypedDict(
    "DelegateMessage",
    {
        "user": "Address",
        "delegatee": "Address",
        "nonce": "Integer",
        "deadline": "UnixSeconds",
    },
)

WalletTypedData = TypedDict(
    "WalletTypedData",
    {
        "domain": "TypedDataDomain",
        "types": "WalletTypedDataTypes",
        "primaryType": "str",
        "message": "DelegateMessage",
    },
)

WalletTypedDataTypes = TypedDict(
    "WalletTypedDataTypes",
    {
        "EIP712Domain": "List[TypedDataField]",
        "Delegate": "List[TypedDataField]",
    },
)

_OneClickEnableInput = TypedDict(
    "_OneClickEnableInput",
    {
        "signature": "str",
        "deadline": "int",
    },
)


class OneClickEnableInput(_OneClickEnableInput, total=False):
    nonce: "int"


DelegationChange = TypedDict(
    "DelegationChange",
    {
        "status": "DelegationStatus",
        "txHash": "Optional[Hash]",
    },
)

_OrdersCalldataInput = TypedDict(
    "_OrdersCalldataInput",
    {
        "side": "Literal['Buy', 'Sell']",
        "type": "Literal['Market', 'Limit']",
        "deadline": "int",
    },
)


class OrdersCalldataInput(_OrdersCalldataInput, total=False):
    stockAddress: "str"
    symbol: "str"
    notional: "str"
    quantity: "str"
    price: "str"
    timeInForce: "str"
    userAddress: "str"
    clientOrderId: "str"


Calldata = TypedDict(
    "Calldata",
    {
        "toAddress": "Address",
        "value": "str",
        "callData": "Bytes",
        "method": "str",
        "args": "CallArguments",
        "chainId": "Integer",
        "productType": "str",
        "preflight": "Optional[Preflight]",
    },
)

Preflight = TypedDict(
    "Preflight",
    {
        "ok": "bool",
        "accepted": "bool",
        "reason": "Optional[ErrCode]",
        "checks": "List[PreflightCheck]",
        "gasEstimate": "Optional[str]",
        "revert": "Optional[str]",
        "locked": "Optional[AssetAmount]",
        "fee": "Optional[OrderFee]",
        "minimum": "Optional[OrderMinimum]",
        "estimate": "Optional[OrderEstimate]",
        "forecast": "Optional[CashForecast]",
    },
)

PreflightCheck = TypedDict(
    "PreflightCheck",
    {
        "check": "PreflightCheckName",
        "ok": "bool",
        "required": "ApiDecimal",
        "actual": "ApiDecimal",
        "fix": "Optional[Call]",
    },
)

Call = TypedDict(
    "Call",
    {
        "toAddress": "Address",
        "value": "str",
        "callData": "Bytes",
    },
)

AssetAmount = TypedDict(
    "AssetAmount",
    {
        "asset": "str",
        "assetAddress": "Optional[Address]",
        "amount": "ApiDecimal",
    },
)

OrderFee = TypedDict(
    "OrderFee",
    {
        "amount": "Optional[ApiDecimal]",
        "bps": "Integer",
        "minimum": "ApiDecimal",
    },
)

OrderMinimum = TypedDict(
    "OrderMinimum",
    {
        "notional": "ApiDecimal",
        "quantity": "Optional[ApiDecimal]",
        "tokenAmount": "Optional[ApiDecimal]",
    },
)

OrderEstimate = TypedDict(
    "OrderEstimate",
    {
        "price": "ApiDecimal",
        "stale": "bool",
        "receives": "AssetAmount",
    },
)

CashForecast = TypedDict(
    "CashForecast",
    {
        "isInstant": "bool",
        "creditAmount": "ApiDecimal",
        "feeAmount": "ApiDecimal",
    },
)

_OrdersSendInput = TypedDict(
    "_OrdersSendInput",
    {
        "side": "Literal['Buy', 'Sell']",
        "type": "Literal['Market', 'Limit']",
        "deadline": "int",
    },
)


class OrdersSendInput(_OrdersSendInput, total=False):
    stockAddress: "str"
    symbol: "str"
    notional: "str"
    quantity: "str"
    price: "str"
    timeInForce: "str"
    userAddress: "str"
    clientOrderId: "str"
    gasLimit: "int"


Send = TypedDict(
    "Send",
    {
        "requestId": "str",
        "operation": "SendOperation",
        "status": "SendStatus",
        "final": "bool",
        "txHash": "Optional[Hash]",
        "errCode": "Optional[ErrCode]",
        "revert": "Optional[str]",
        "acceptedAt": "UnixSeconds",
        "mapping": "Optional[ApiMapping]",
    },
)

ApiMapping = TypedDict(
    "ApiMapping",
    {
        "mappingId": "str",
        "chainId": "Integer",
        "productType": "str",
        "operationType": "OperationType",
        "txHash": "Optional[Hash]",
        "userAddress": "Optional[Address]",
        "orderId": "Optional[Hash]",
        "operationId": "Optional[Hash]",
        "clientOrderId": "Optional[str]",
        "mappingStatus": "MappingStatus",
        "source": "MappingSource",
        "createdAt": "UnixSeconds",
    },
)

_OrdersWithDepositCalldataInput = TypedDict(
    "_OrdersWithDepositCalldataInput",
    {
        "side": "Literal['Buy', 'Sell']",
        "type": "Literal['Market', 'Limit']",
        "deadline": "int",
    },
)


class OrdersWithDepositCalldataInput(_OrdersWithDepositCalldataInput, total=False):
    stockAddress: "str"
    symbol: "str"
    notional: "str"
    quantity: "str"
    price: "str"
    timeInForce: "str"
    userAddress: "str"
    clientOrderId: "str"
    tokenAddress: "str"
    tokenAmount: "str"


_OrdersWithDepositSendInput = TypedDict(
    "_OrdersWithDepositSendInput",
    {
        "side": "Literal['Buy', 'Sell']",
        "type": "Literal['Market', 'Limit']",
        "deadline": "int",
    },
)


class OrdersWithDepositSendInput(_OrdersWithDepositSendInput, total=False):
    stockAddress: "str"
    symbol: "str"
    notional: "str"
    quantity: "str"
    price: "str"
    timeInForce: "str"
    userAddress: "str"
    clientOrderId: "str"
    tokenAddress: "str"
    tokenAmount: "str"
    gasLimit: "int"


_OrdersPreviewInput = TypedDict(
    "_OrdersPreviewInput",
    {
        "side": "Literal['Buy', 'Sell']",
        "type": "Literal['Market', 'Limit']",
        "deadline": "int",
    },
)


class OrdersPreviewInput(_OrdersPreviewInput, total=False):
    stockAddress: "str"
    symbol: "str"
    notional: "str"
    quantity: "str"
    price: "str"
    timeInForce: "str"
    userAddress: "str"
    clientOrderId: "str"
    tokenAddress: "str"
    tokenAmount: "str"


OrdersRecordInput = TypedDict(
    "OrdersRecordInput",
    {
        "txHash": "str",
    },
)

OrderList = TypedDict(
    "OrderList",
    {
        "total": "Optional[Integer]",
        "totalExact": "Optional[bool]",
        "rows": "List[Order]",
        "nextCursor": "Optional[str]",
    },
)

Order = TypedDict(
    "Order",
    {
        "orderId": "Optional[Hash]",
        "txHash": "Optional[Hash]",
        "status": "OrderStatus",
        "onChainStatus": "OnChainStatus",
        "orderIds": "List[Hash]",
        "mapping": "ApiMapping",
        "openOrder": "Optional[OpenOrder]",
        "historyOrder": "Optional[HistoryOrder]",
    },
)

OpenOrder = TypedDict(
    "OpenOrder",
    {
        "orderId": "Optional[Hash]",
        "txHash": "Optional[Hash]",
        "userAddress": "Optional[Address]",
        "stockAddress": "Optional[Address]",
        "symbol": "Optional[str]",
        "side": "Optional[Side]",
        "type": "Optional[OrderType]",
        "quantity": "Optional[ApiDecimal]",
        "notional": "Optional[ApiDecimal]",
        "price": "Optional[ApiDecimal]",
        "timeInForce": "Optional[TimeInForce]",
        "deadline": "Optional[UnixSeconds]",
        "status": "OpenStatus",
        "filledQuantity": "Optional[ApiDecimal]",
        "filledNotional": "Optional[ApiDecimal]",
        "averageFillPrice": "Optional[ApiDecimal]",
        "fee": "Optional[ApiDecimal]",
        "fills": "List[Fill]",
        "lockedAmount": "Optional[ApiDecimal]",
        "lockedAsset": "Optional[str]",
        "cancelTxHash": "Optional[Hash]",
        "createdAt": "UnixSeconds",
        "updatedAt": "UnixSeconds",
        "blockNumber": "Optional[Integer]",
    },
)

Fill = TypedDict(
    "Fill",
    {
        "quantity": "ApiDecimal",
        "price": "ApiDecimal",
        "fee": "ApiDecimal",
        "txHash": "Hash",
        "timestamp": "UnixSeconds",
    },
)

HistoryOrder = TypedDict(
    "HistoryOrder",
    {
        "orderId": "Optional[Hash]",
        "txHash": "Optional[Hash]",
        "userAddress": "Optional[Address]",
        "stockAddress": "Optional[Address]",
        "symbol": "Optional[str]",
        "side": "Optional[Side]",
        "type": "Optional[OrderType]",
        "quantity": "Optional[ApiDecimal]",
        "notional": "Optional[ApiDecimal]",
        "price": "Optional[ApiDecimal]",
        "timeInForce": "Optional[TimeInForce]",
        "deadline": "Optional[UnixSeconds]",
        "status": "EndedStatus",
        "filledQuantity": "Optional[ApiDecimal]",
        "filledNotional": "Optional[ApiDecimal]",
        "averageFillPrice": "Optional[ApiDecimal]",
        "lockedAmount": "Optional[ApiDecimal]",
        "lockedAsset": "Optional[str]",
        "cancelTxHash": "Optional[Hash]",
        "createdAt": "UnixSeconds",
        "updatedAt": "UnixSeconds",
        "blockNumber": "Optional[Integer]",
        "fee": "Optional[ApiDecimal]",
        "fills": "List[Fill]",
        "settleTxHash": "Optional[Hash]",
        "settledAt": "Optional[UnixSeconds]",
        "failReason": "Optional[str]",
    },
)

OrdersCancelSendInput = TypedDict(
    "OrdersCancelSendInput",
    {
        "gasLimit": "int",
    }, total=False,
)

OrdersCancelAfterInput = TypedDict(
    "OrdersCancelAfterInput",
    {
        "seconds": "Optional[int]",
    },
)

ArmedCancelAfter = TypedDict(
    "ArmedCancelAfter",
    {
        "seconds": "Optional[Integer]",
        "cancelAt": "Optional[UnixSeconds]",
        "firedAt": "Optional[UnixSeconds]",
        "now": "UnixSeconds",
    },
)

OrdersCancelManyCalldataInput = TypedDict(
    "OrdersCancelManyCalldataInput",
    {
        "symbol": "str",
        "side": "Literal['Buy', 'Sell']",
        "userAddress": "str",
    }, total=False,
)

CancelCalldataList = TypedDict(
    "CancelCalldataList",
    {
        "rows": "List[CancelCalldata]",
        "more": "bool",
    },
)

CancelCalldata = TypedDict(
    "CancelCalldata",
    {
        "orderId": "Hash",
        "calldata": "Calldata",
    },
)

OrdersCancelManySendInput = TypedDict(
    "OrdersCancelManySendInput",
    {
        "symbol": "str",
        "side": "Literal['Buy', 'Sell']",
        "userAddress": "str",
    }, total=False,
)

CancelSendList = TypedDict(
    "CancelSendList",
    {
        "rows": "List[CancelSend]",
        "more": "bool",
    },
)

CancelSend = TypedDict(
    "CancelSend",
    {
        "orderId": "Hash",
        "send": "Optional[Send]",
        "errCode": "Optional[ErrCode]",
        "errMsg": "Optional[str]",
    },
)

CashDepositsCalldataInput = TypedDict(
    "CashDepositsCalldataInput",
    {
        "userAddress": "str",
        "tokenAddress": "str",
        "tokenAmount": "str",
    },
)

CashCalldata = TypedDict(
    "CashCalldata",
    {
        "toAddress": "Address",
        "value": "str",
        "callData": "Bytes",
        "method": "str",
        "args": "CallArguments",
        "chainId": "Integer",
        "productType": "str",
        "preflight": "Optional[Preflight]",
        "forecast": "CashForecast",
    },
)

_CashDepositsSendInput = TypedDict(
    "_CashDepositsSendInput",
    {
        "tokenAddress": "str",
        "tokenAmount": "str",
    },
)


class CashDepositsSendInput(_CashDepositsSendInput, total=False):
    userAddress: "str"
    gasLimit: "int"


CashDepositsRecordInput = TypedDict(
    "CashDepositsRecordInput",
    {
        "txHash": "str",
    },
)

OperationList = TypedDict(
    "OperationList",
    {
        "total": "Optional[Integer]",
        "totalExact": "Optional[bool]",
        "rows": "List[OperationDetail]",
        "nextCursor": "Optional[str]",
    },
)

OperationDetail = TypedDict(
    "OperationDetail",
    {
        "operationId": "Optional[Hash]",
        "txHash": "Optional[Hash]",
        "mappingStatus": "MappingStatus",
        "operationStatus": "OperationStatus",
        "mapping": "ApiMapping",
        "depositOperation": "Optional[Operation]",
        "withdrawalOperation": "Optional[Operation]",
    },
)

Operation = TypedDict(
    "Operation",
    {
        "operationId": "Hash",
        "userAddress": "Address",
        "tokenAddress": "Address",
        "tokenSymbol": "str",
        "status": "OperationStatus",
        "isInstant": "Optional[bool]",
        "amount": "Optional[ApiDecimal]",
        "creditAmount": "Optional[ApiDecimal]",
        "feeAmount": "Optional[ApiDecimal]",
        "createTxHash": "Hash",
        "settleTxHash": "Optional[Hash]",
        "failReason": "Optional[str]",
        "createdAt": "UnixSeconds",
        "settledAt": "Optional[UnixSeconds]",
    },
)

CashWithdrawalsCalldataInput = TypedDict(
    "CashWithdrawalsCalldataInput",
    {
        "userAddress": "str",
        "tokenAddress": "str",
        "tokenAmount": "str",
    },
)

_CashWithdrawalsSendInput = TypedDict(
    "_CashWithdrawalsSendInput",
    {
        "tokenAddress": "str",
        "tokenAmount": "str",
    },
)


class CashWithdrawalsSendInput(_CashWithdrawalsSendInput, total=False):
    userAddress: "str"
    gasLimit: "int"


CashWithdrawalsRecordInput = TypedDict(
    "CashWithdrawalsRecordInput",
    {
        "txHash": "str",
    },
)

StockDepositsCalldataInput = TypedDict(
    "StockDepositsCalldataInput",
    {
        "userAddress": "str",
        "tokenAddress": "str",
        "tokenAmount": "str",
    },
)

_StockDepositsSendInput = TypedDict(
    "_StockDepositsSendInput",
    {
        "tokenAddress": "str",
        "tokenAmount": "str",
    },
)


class StockDepositsSendInput(_StockDepositsSendInput, total=False):
    userAddress: "str"
    gasLimit: "int"


StockDepositsRecordInput = TypedDict(
    "StockDepositsRecordInput",
    {
        "txHash": "str",
    },
)

StockWithdrawalsCalldataInput = TypedDict(
    "StockWithdrawalsCalldataInput",
    {
        "userAddress": "str",
        "tokenAddress": "str",
        "tokenAmount": "str",
    },
)

_StockWithdrawalsSendInput = TypedDict(
    "_StockWithdrawalsSendInput",
    {
        "tokenAddress": "str",
        "tokenAmount": "str",
    },
)


class StockWithdrawalsSendInput(_StockWithdrawalsSendInput, total=False):
    userAddress: "str"
    gasLimit: "int"


StockWithdrawalsRecordInput = TypedDict(
    "StockWithdrawalsRecordInput",
    {
        "txHash": "str",
    },
)

Balance = TypedDict(
    "Balance",
    {
        "chainId": "Integer",
        "productType": "str",
        "address": "Address",
        "mUsdBalance": "ApiDecimal",
        "mUsdLocked": "ApiDecimal",
        "tokenBalances": "List[TokenBalance]",
        "blockNumber": "Integer",
        "blockTimestamp": "UnixSeconds",
        "walletBlockNumber": "Optional[Integer]",
    },
)

TokenBalance = TypedDict(
    "TokenBalance",
    {
        "address": "Address",
        "name": "str",
        "symbol": "str",
        "stockSymbol": "Optional[str]",
        "isStock": "bool",
        "decimals": "Integer",
        "price": "Optional[ApiDecimal]",
        "walletBalance": "ApiDecimal",
        "walletAllowance": "Optional[ApiDecimal]",
        "exchangeBalance": "Optional[ApiDecimal]",
        "exchangeLocked": "Optional[ApiDecimal]",
    },
)

Position = TypedDict(
    "Position",
    {
        "symbol": "str",
        "stockAddress": "Address",
        "walletBalance": "ApiDecimal",
        "exchangeBalance": "ApiDecimal",
        "lockedBalance": "ApiDecimal",
        "quantity": "ApiDecimal",
        "averageEntryPrice": "Optional[ApiDecimal]",
        "costBasis": "Optional[ApiDecimal]",
        "costBasisQuantity": "ApiDecimal",
        "marketPrice": "Optional[ApiDecimal]",
        "marketValue": "Optional[ApiDecimal]",
        "stale": "bool",
        "unrealizedPnl": "Optional[ApiDecimal]",
        "unrealizedPnlPercent": "Optional[ApiDecimal]",
        "realizedPnl": "ApiDecimal",
    },
)

ActivityList = TypedDict(
    "ActivityList",
    {
        "rows": "List[Activity]",
        "nextCursor": "Optional[str]",
    },
)

Activity = TypedDict(
    "Activity",
    {
        "activityId": "Hash",
        "asset": "str",
        "stockAddress": "Optional[Address]",
        "kind": "ActivityKind",
        "delta": "ApiDecimal",
        "balanceAfter": "ApiDecimal",
        "lockedDelta": "ApiDecimal",
        "distribution": "Optional[Distribution]",
        "orderId": "Optional[Hash]",
        "operationId": "Optional[Hash]",
        "txHash": "Hash",
        "blockNumber": "BlockNumber",
        "timestamp": "UnixSeconds",
    },
)

Distribution = TypedDict(
    "Distribution",
    {
        "multiplierBefore": "ApiDecimal",
        "multiplierAfter": "ApiDecimal",
        "tokens": "ApiDecimal",
        "sharesBefore": "ApiDecimal",
        "sharesAfter": "ApiDecimal",
    },
)

Statement = TypedDict(
    "Statement",
    {
        "userAddress": "Address",
        "from": "UnixSeconds",
        "to": "UnixSeconds",
        "opening": "Optional[List[StatementBalance]]",
        "closing": "Optional[List[StatementBalance]]",
        "rows": "List[StatementRow]",
        "nextCursor": "Optional[str]",
        "csv": "Optional[str]",
    },
)

StatementBalance = TypedDict(
    "StatementBalance",
    {
        "asset": "str",
        "stockAddress": "Optional[Address]",
        "available": "ApiDecimal",
        "locked": "ApiDecimal",
    },
)

StatementRow = TypedDict(
    "StatementRow",
    {
        "activityId": "Hash",
        "asset": "str",
        "stockAddress": "Optional[Address]",
        "kind": "ActivityKind",
        "delta": "ApiDecimal",
        "balanceAfter": "ApiDecimal",
        "lockedDelta": "ApiDecimal",
        "distribution": "Optional[Distribution]",
        "fill": "Optional[StatementFill]",
        "fee": "Optional[ApiDecimal]",
        "orderId": "Optional[Hash]",
        "operationId": "Optional[Hash]",
        "txHash": "Hash",
        "blockNumber": "BlockNumber",
        "timestamp": "UnixSeconds",
    },
)

StatementFill = TypedDict(
    "StatementFill",
    {
        "quantity": "ApiDecimal",
        "price": "ApiDecimal",
        "notional": "ApiDecimal",
    },
)

SendList = TypedDict(
    "SendList",
    {
        "rows": "List[Send]",
        "nextCursor": "Optional[str]",
    },
)

EventPage = TypedDict(
    "EventPage",
    {
        "rows": "List[TradingEvent]",
        "nextCursor": "str",
    },
)

OrderMappedEvent = TypedDict(
    "OrderMappedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['order.mapped']",
        "resource": "Literal['orders']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Order",
    },
)

OrderPlacedEvent = TypedDict(
    "OrderPlacedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['order.placed']",
        "resource": "Literal['orders']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Order",
    },
)

OrderPartiallyFilledEvent = TypedDict(
    "OrderPartiallyFilledEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['order.partially_filled']",
        "resource": "Literal['orders']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Order",
    },
)

OrderFilledEvent = TypedDict(
    "OrderFilledEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['order.filled']",
        "resource": "Literal['orders']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Order",
    },
)

OrderCancelingEvent = TypedDict(
    "OrderCancelingEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['order.canceling']",
        "resource": "Literal['orders']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Order",
    },
)

OrderCanceledEvent = TypedDict(
    "OrderCanceledEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['order.canceled']",
        "resource": "Literal['orders']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Order",
    },
)

OrderRejectedEvent = TypedDict(
    "OrderRejectedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['order.rejected']",
        "resource": "Literal['orders']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Order",
    },
)

OrderExpiredEvent = TypedDict(
    "OrderExpiredEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['order.expired']",
        "resource": "Literal['orders']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Order",
    },
)

OrderFailedEvent = TypedDict(
    "OrderFailedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['order.failed']",
        "resource": "Literal['orders']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Order",
    },
)

OperationPendingEvent = TypedDict(
    "OperationPendingEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['operation.pending']",
        "resource": "Literal['cash/deposits', 'cash/withdrawals', 'stock/deposits', 'stock/withdrawals']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "OperationDetail",
    },
)

OperationProcessingEvent = TypedDict(
    "OperationProcessingEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['operation.processing']",
        "resource": "Literal['cash/deposits', 'cash/withdrawals', 'stock/deposits', 'stock/withdrawals']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "OperationDetail",
    },
)

OperationCompletedEvent = TypedDict(
    "OperationCompletedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['operation.completed']",
        "resource": "Literal['cash/deposits', 'cash/withdrawals', 'stock/deposits', 'stock/withdrawals']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "OperationDetail",
    },
)

OperationFailedEvent = TypedDict(
    "OperationFailedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['operation.failed']",
        "resource": "Literal['cash/deposits', 'cash/withdrawals', 'stock/deposits', 'stock/withdrawals']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "OperationDetail",
    },
)

OperationCanceledEvent = TypedDict(
    "OperationCanceledEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['operation.canceled']",
        "resource": "Literal['cash/deposits', 'cash/withdrawals', 'stock/deposits', 'stock/withdrawals']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "OperationDetail",
    },
)

MappingRemovedEvent = TypedDict(
    "MappingRemovedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['mapping.removed']",
        "resource": "Literal['orders', 'cash/deposits', 'cash/withdrawals', 'stock/deposits', 'stock/withdrawals']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "ApiMapping",
    },
)

SendSubmittedEvent = TypedDict(
    "SendSubmittedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['send.submitted']",
        "resource": "Literal['sends']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Send",
    },
)

SendConfirmedEvent = TypedDict(
    "SendConfirmedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['send.confirmed']",
        "resource": "Literal['sends']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Send",
    },
)

SendFailedEvent = TypedDict(
    "SendFailedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['send.failed']",
        "resource": "Literal['sends']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Send",
    },
)

DelegationEnabledEvent = TypedDict(
    "DelegationEnabledEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['delegation.enabled']",
        "resource": "Literal['1ct/status']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Delegation",
    },
)

DelegationDisabledEvent = TypedDict(
    "DelegationDisabledEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['delegation.disabled']",
        "resource": "Literal['1ct/status']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Delegation",
    },
)

AppliedCorporateAction = TypedDict(
    "AppliedCorporateAction",
    {
        "stockToken": "Address",
        "symbol": "str",
        "oldMultiplier": "ApiDecimal",
        "newMultiplier": "ApiDecimal",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
    },
)

CorporateActionAppliedEvent = TypedDict(
    "CorporateActionAppliedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['corporate_action.applied']",
        "resource": "Literal['corporate-action']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "AppliedCorporateAction",
    },
)

AppliedDistribution = TypedDict(
    "AppliedDistribution",
    {
        "userAddress": "Address",
        "stockToken": "Address",
        "symbol": "str",
        "multiplierBefore": "ApiDecimal",
        "multiplierAfter": "ApiDecimal",
        "tokens": "ApiDecimal",
        "sharesBefore": "ApiDecimal",
        "sharesAfter": "ApiDecimal",
        "timestamp": "Optional[UnixSeconds]",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
    },
)

DistributionAppliedEvent = TypedDict(
    "DistributionAppliedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['distribution.applied']",
        "resource": "Literal['users/activities']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "AppliedDistribution",
    },
)

Webhook = TypedDict(
    "Webhook",
    {
        "webhookId": "str",
        "url": "str",
        "types": "Optional[str]",
        "status": "WebhookStatus",
        "disabledReason": "Optional[WebhookDisabledReason]",
        "disabledAt": "Optional[UnixSeconds]",
        "createdAt": "UnixSeconds",
        "failingSince": "Optional[UnixSeconds]",
        "oldestUndeliveredAt": "Optional[UnixSeconds]",
        "previousSecretUntil": "Optional[UnixSeconds]",
    },
)

WebhookDisabledEvent = TypedDict(
    "WebhookDisabledEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['webhook.disabled']",
        "resource": "Literal['webhooks']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "Webhook",
    },
)

ExpiringKey = TypedDict(
    "ExpiringKey",
    {
        "apiKey": "str",
        "expiresAt": "UnixSeconds",
        "withinDays": "Integer",
    },
)

KeyExpiringEvent = TypedDict(
    "KeyExpiringEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['key.expiring']",
        "resource": "Literal['key']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "ExpiringKey",
    },
)

MaintenanceNotice = TypedDict(
    "MaintenanceNotice",
    {
        "noticeId": "str",
        "chainId": "Optional[Integer]",
        "startsAt": "UnixSeconds",
        "endsAt": "UnixSeconds",
        "text": "str",
        "canceledAt": "Optional[UnixSeconds]",
    },
)

MaintenanceAnnouncedEvent = TypedDict(
    "MaintenanceAnnouncedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['maintenance.announced']",
        "resource": "Literal['status']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "MaintenanceNotice",
    },
)

MaintenanceCanceledEvent = TypedDict(
    "MaintenanceCanceledEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['maintenance.canceled']",
        "resource": "Literal['status']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "MaintenanceNotice",
    },
)

StatusChange = TypedDict(
    "StatusChange",
    {
        "chainId": "Integer",
        "health": "Health",
        "sendingHalted": "bool",
        "marketDataHealth": "Health",
        "since": "UnixSeconds",
    },
)

StatusChangedEvent = TypedDict(
    "StatusChangedEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['status.changed']",
        "resource": "Literal['status']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "StatusChange",
    },
)

WebhookList = TypedDict(
    "WebhookList",
    {
        "rows": "List[Webhook]",
    },
)

_WebhooksCreateInput = TypedDict(
    "_WebhooksCreateInput",
    {
        "url": "str",
    },
)


class WebhooksCreateInput(_WebhooksCreateInput, total=False):
    types: "str"


NewWebhook = TypedDict(
    "NewWebhook",
    {
        "webhook": "Webhook",
        "secret": "Optional[str]",
    },
)

WebhookTest = TypedDict(
    "WebhookTest",
    {
        "delivered": "bool",
        "statusCode": "Optional[Integer]",
        "error": "Optional[str]",
        "durationMs": "Integer",
    },
)

WebhooksRotateInput = TypedDict(
    "WebhooksRotateInput",
    {
        "overlapSeconds": "int",
    }, total=False,
)

WebhookDeliveryPage = TypedDict(
    "WebhookDeliveryPage",
    {
        "rows": "List[WebhookDelivery]",
        "nextCursor": "Optional[str]",
    },
)

WebhookDelivery = TypedDict(
    "WebhookDelivery",
    {
        "deliveryId": "str",
        "eventId": "str",
        "sequence": "Integer",
        "type": "EventType",
        "createdAt": "UnixSeconds",
        "status": "DeliveryStatus",
        "attempts": "Integer",
        "lastAttemptAt": "Optional[UnixSeconds]",
        "lastStatusCode": "Optional[Integer]",
        "lastError": "Optional[str]",
        "lastDurationMs": "Optional[Integer]",
        "nextAttemptAt": "Optional[UnixSeconds]",
        "endedAt": "Optional[UnixSeconds]",
    },
)

ServiceStatus = TypedDict(
    "ServiceStatus",
    {
        "chains": "List[ChainStatus]",
        "marketData": "MarketDataStatus",
        "maintenance": "List[MaintenanceNotice]",
    },
)

ChainStatus = TypedDict(
    "ChainStatus",
    {
        "chainId": "Integer",
        "health": "Health",
        "indexedBlock": "Optional[BlockNumber]",
        "indexedAt": "Optional[UnixSeconds]",
        "ageSeconds": "Optional[Integer]",
        "headBlock": "Optional[BlockNumber]",
        "sendingHalted": "bool",
    },
)

MarketDataStatus = TypedDict(
    "MarketDataStatus",
    {
        "health": "Health",
        "quoteAt": "Optional[UnixSeconds]",
        "session": "Optional[Session]",
    },
)

TestedWebhook = TypedDict(
    "TestedWebhook",
    {
        "webhookId": "str",
    },
)

WebhookTestEvent = TypedDict(
    "WebhookTestEvent",
    {
        "eventId": "str",
        "sequence": "Integer",
        "type": "Literal['webhook.test']",
        "resource": "Literal['webhooks']",
        "createdAt": "UnixSeconds",
        "blockNumber": "Optional[BlockNumber]",
        "txHash": "Optional[Hash]",
        "retracts": "Optional[str]",
        "data": "TestedWebhook",
    },
)

Unauthorized = TypedDict(
    "Unauthorized",
    {
        "code": "Literal[401]",
        "errMsg": "Literal['Unauthorized']",
        "data": "None",
        "uuid": "str",
        "t": "int",
    },
)

_Failure = TypedDict(
    "_Failure",
    {
        "code": "int",
        "errMsg": "str",
        "data": "None",
        "uuid": "str",
        "t": "int",
        "errCode": "ErrCode",
        "param": "Any",
        "retryable": "bool",
    },
)


class Failure(_Failure, total=False):
    revert: "Any"
    oldestCursor: "str"
    docUrl: "str"


SymbolsListQuery = TypedDict(
    "SymbolsListQuery",
    {
        "tradable": "Literal['all']",
    }, total=False,
)

PricesListQuery = TypedDict(
    "PricesListQuery",
    {
        "symbols": "str",
    }, total=False,
)

PricesHistoryQuery = TypedDict(
    "PricesHistoryQuery",
    {
        "interval": "Literal['1m', '3m', '5m', '15m', '1h', '1d', '1w']",
        "startTime": "int",
        "endTime": "int",
        "adjustment": "Literal['raw', 'split', 'dividend', 'spin-off', 'all']",
        "limit": "int",
    }, total=False,
)

CorporateActionListQuery = TypedDict(
    "CorporateActionListQuery",
    {
        "symbol": "str",
        "type": "Literal['split', 'dividend', 'spin-off']",
        "from": "str",
        "to": "str",
    }, total=False,
)

CalendarListQuery = TypedDict(
    "CalendarListQuery",
    {
        "from": "str",
        "to": "str",
    }, total=False,
)

OrdersListQuery = TypedDict(
    "OrdersListQuery",
    {
        "status": "Literal['Init', 'Pending', 'New', 'Partial filled', 'Filled', 'Canceled', 'Expired', 'Rejected', 'Failed']",
        "onChainStatus": "Literal['placing', 'open', 'canceling', 'history']",
        "side": "Literal['Buy', 'Sell']",
        "type": "Literal['Market', 'Limit']",
        "symbol": "str",
        "stockAddress": "str",
        "clientOrderId": "str",
        "userAddress": "str",
        "txHash": "str",
        "from": "int",
        "to": "int",
        "updatedAfter": "int",
        "page": "int",
        "limit": "int",
        "cursor": "str",
    }, total=False,
)

CashDepositsListQuery = TypedDict(
    "CashDepositsListQuery",
    {
        "status": "Literal['pending', 'processing', 'completed', 'failed', 'canceled']",
        "tokenAddress": "str",
        "userAddress": "str",
        "txHash": "str",
        "from": "int",
        "to": "int",
        "updatedAfter": "int",
        "page": "int",
        "limit": "int",
        "cursor": "str",
    }, total=False,
)

CashWithdrawalsListQuery = TypedDict(
    "CashWithdrawalsListQuery",
    {
        "status": "Literal['pending', 'processing', 'completed', 'failed', 'canceled']",
        "tokenAddress": "str",
        "userAddress": "str",
        "txHash": "str",
        "from": "int",
        "to": "int",
        "updatedAfter": "int",
        "page": "int",
        "limit": "int",
        "cursor": "str",
    }, total=False,
)

StockDepositsListQuery = TypedDict(
    "StockDepositsListQuery",
    {
        "status": "Literal['pending', 'processing', 'completed', 'failed', 'canceled']",
        "tokenAddress": "str",
        "userAddress": "str",
        "txHash": "str",
        "from": "int",
        "to": "int",
        "updatedAfter": "int",
        "page": "int",
        "limit": "int",
        "cursor": "str",
    }, total=False,
)

StockWithdrawalsListQuery = TypedDict(
    "StockWithdrawalsListQuery",
    {
        "status": "Literal['pending', 'processing', 'completed', 'failed', 'canceled']",
        "tokenAddress": "str",
        "userAddress": "str",
        "txHash": "str",
        "from": "int",
        "to": "int",
        "updatedAfter": "int",
        "page": "int",
        "limit": "int",
        "cursor": "str",
    }, total=False,
)

UsersBalanceQuery = TypedDict(
    "UsersBalanceQuery",
    {
        "spenderAddress": "str",
    }, total=False,
)

UsersActivitiesQuery = TypedDict(
    "UsersActivitiesQuery",
    {
        "asset": "str",
        "from": "int",
        "to": "int",
        "limit": "int",
        "cursor": "str",
    }, total=False,
)

UsersStatementQuery = TypedDict(
    "UsersStatementQuery",
    {
        "from": "int",
        "to": "int",
        "format": "Literal['json', 'csv']",
        "limit": "int",
        "cursor": "str",
    }, total=False,
)

SendsListQuery = TypedDict(
    "SendsListQuery",
    {
        "status": "Literal['accepted', 'submitted', 'confirmed', 'failed']",
        "operation": "Literal['orders/send', 'orders/with-deposit/send', 'orders/cancel', 'cash/deposits', 'cash/withdrawals', 'stock/deposits', 'stock/withdrawals', '1ct/enable', '1ct/disable']",
        "clientOrderId": "str",
        "from": "int",
        "to": "int",
        "limit": "int",
        "cursor": "str",
    }, total=False,
)

EventsListQuery = TypedDict(
    "EventsListQuery",
    {
        "after": "str",
        "types": "str",
        "limit": "int",
    }, total=False,
)

WebhooksDeliveriesQuery = TypedDict(
    "WebhooksDeliveriesQuery",
    {
        "status": "Literal['pending', 'delivered', 'dead']",
        "limit": "int",
        "cursor": "str",
    }, total=False,
)

TradingEvent = Union[OrderMappedEvent, OrderPlacedEvent, OrderPartiallyFilledEvent, OrderFilledEvent, OrderCancelingEvent, OrderCanceledEvent, OrderRejectedEvent, OrderExpiredEvent, OrderFailedEvent, OperationPendingEvent, OperationProcessingEvent, OperationCompletedEvent, OperationFailedEvent, OperationCanceledEvent, MappingRemovedEvent, SendSubmittedEvent, SendConfirmedEvent, SendFailedEvent, DelegationEnabledEvent, DelegationDisabledEvent, CorporateActionAppliedEvent, DistributionAppliedEvent, WebhookDisabledEvent, KeyExpiringEvent, MaintenanceAnnouncedEvent, MaintenanceCanceledEvent, StatusChangedEvent]


class KeyOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def get(self) -> CallingKey:
        """Get the calling key. GET /key"""
        return cast("CallingKey", self._client.request("GET", "/key", query=None, body=None).data)

    def rotate(self, input: Optional[KeyRotateInput] = None) -> RotatedKey:
        """Rotate the secret. POST /key/rotate"""
        return cast("RotatedKey", self._client.request("POST", "/key/rotate", query=None, body=input).data)


class ConfigOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def get(self) -> Config:
        """Get the configuration. GET /config"""
        return cast("Config", self._client.request("GET", "/config", query=None, body=None).data)


class SymbolsOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def list(self, input: Optional[SymbolsListQuery] = None) -> List[StockSymbol]:
        """List symbols. GET /symbols"""
        return cast("List[StockSymbol]", self._client.request("GET", "/symbols", query=cast(Any, input), body=None).data)


class PricesOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def list(self, input: Optional[PricesListQuery] = None) -> List[ListedPrice]:
        """List prices. GET /prices"""
        return cast("List[ListedPrice]", self._client.request("GET", "/prices", query=cast(Any, input), body=None).data)

    def get(self, symbol: str) -> Price:
        """Get a price. GET /prices/{symbol}"""
        return cast("Price", self._client.request("GET", f"/prices/{_segment(symbol)}", query=None, body=None).data)

    def history(self, symbol: str, input: Optional[PricesHistoryQuery] = None) -> List[PriceBar]:
        """Get price history. GET /prices/{symbol}/history"""
        return cast("List[PriceBar]", self._client.request("GET", f"/prices/{_segment(symbol)}/history", query=cast(Any, input), body=None).data)


class UnderlyingOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def price(self, symbol: str) -> Quote:
        """Get an underlying price. GET /underlying/{symbol}/price"""
        return cast("Quote", self._client.request("GET", f"/underlying/{_segment(symbol)}/price", query=None, body=None).data)


class CorporateActionOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def list(self, input: Optional[CorporateActionListQuery] = None) -> List[CorporateAction]:
        """List corporate actions. GET /corporate-action"""
        return cast("List[CorporateAction]", self._client.request("GET", "/corporate-action", query=cast(Any, input), body=None).data)


class ClockOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def get(self) -> Clock:
        """Get the market clock. GET /clock"""
        return cast("Clock", self._client.request("GET", "/clock", query=None, body=None).data)


class CalendarOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def list(self, input: Optional[CalendarListQuery] = None) -> List[TradingDay]:
        """List trading days. GET /calendar"""
        return cast("List[TradingDay]", self._client.request("GET", "/calendar", query=cast(Any, input), body=None).data)


class OneClickOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def status(self) -> Delegation:
        """Get the delegation. GET /1ct/status"""
        return cast("Delegation", self._client.request("GET", "/1ct/status", query=None, body=None).data)

    def prepare(self, input: OneClickPrepareInput) -> DelegationPayload:
        """Prepare a delegation. POST /1ct/prepare"""
        return cast("DelegationPayload", self._client.request("POST", "/1ct/prepare", query=None, body=input).data)

    def enable(self, input: OneClickEnableInput) -> DelegationChange:
        """Enable one-click sending. POST /1ct/enable"""
        return cast("DelegationChange", self._client.request("POST", "/1ct/enable", query=None, body=input).data)

    def disable(self) -> DelegationChange:
        """Disable one-click sending. POST /1ct/disable"""
        return cast("DelegationChange", self._client.request("POST", "/1ct/disable", query=None, body=None).data)


class OrdersOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def calldata(self, input: OrdersCalldataInput) -> Calldata:
        """Encode an order. POST /orders/calldata"""
        return cast("Calldata", self._client.request("POST", "/orders/calldata", query=None, body=input).data)

    def send(self, input: OrdersSendInput, idempotency_key: Optional[str] = None) -> Send:
        """Place an order. POST /orders/send"""
        return cast("Send", self._client.request("POST", "/orders/send", query=None, body=input, idempotency_key=idempotency_key).data)

    def preview(self, input: OrdersPreviewInput) -> Preflight:
        """Preview an order. POST /orders/preview"""
        return cast("Preflight", self._client.request("POST", "/orders/preview", query=None, body=input).data)

    def record(self, input: OrdersRecordInput) -> ApiMapping:
        """Record an order transaction. POST /orders/tx"""
        return cast("ApiMapping", self._client.request("POST", "/orders/tx", query=None, body=input).data)

    def list(self, input: Optional[OrdersListQuery] = None) -> OrderList:
        """List orders. GET /orders"""
        return cast("OrderList", self._client.request("GET", "/orders", query=cast(Any, input), body=None).data)

    def get_by_tx_hash(self, tx_hash: str) -> Order:
        """Get an order by transaction. GET /orders/tx/{txHash}"""
        return cast("Order", self._client.request("GET", f"/orders/tx/{_segment(tx_hash)}", query=None, body=None).data)

    def get_by_client_order_id(self, client_order_id: str) -> Order:
        """Get an order by clientOrderId. GET /orders/client/{clientOrderId}"""
        return cast("Order", self._client.request("GET", f"/orders/client/{_segment(client_order_id)}", query=None, body=None).data)

    def get(self, order_id: str) -> Order:
        """Get an order. GET /orders/{orderId}"""
        return cast("Order", self._client.request("GET", f"/orders/{_segment(order_id)}", query=None, body=None).data)

    def cancel_calldata(self, order_id: str) -> Calldata:
        """Encode a cancel. DELETE /orders/{orderId}/calldata"""
        return cast("Calldata", self._client.request("DELETE", f"/orders/{_segment(order_id)}/calldata", query=None, body=None).data)

    def cancel_send(self, order_id: str, input: Optional[OrdersCancelSendInput] = None, idempotency_key: Optional[str] = None) -> Send:
        """Cancel an order. DELETE /orders/{orderId}/send"""
        return cast("Send", self._client.request("DELETE", f"/orders/{_segment(order_id)}/send", query=None, body=input, idempotency_key=idempotency_key).data)

    def cancel_after(self, input: OrdersCancelAfterInput) -> ArmedCancelAfter:
        """Cancel orders after a silence. POST /orders/cancel-after"""
        return cast("ArmedCancelAfter", self._client.request("POST", "/orders/cancel-after", query=None, body=input).data)


class OrdersWithDepositOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def calldata(self, input: OrdersWithDepositCalldataInput) -> Calldata:
        """Encode a deposit and an order. POST /orders/with-deposit/calldata"""
        return cast("Calldata", self._client.request("POST", "/orders/with-deposit/calldata", query=None, body=input).data)

    def send(self, input: OrdersWithDepositSendInput, idempotency_key: Optional[str] = None) -> Send:
        """Deposit and place an order. POST /orders/with-deposit/send"""
        return cast("Send", self._client.request("POST", "/orders/with-deposit/send", query=None, body=input, idempotency_key=idempotency_key).data)


class OrdersCancelManyOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def calldata(self, input: Optional[OrdersCancelManyCalldataInput] = None) -> CancelCalldataList:
        """Encode cancels. POST /orders/cancel/calldata"""
        return cast("CancelCalldataList", self._client.request("POST", "/orders/cancel/calldata", query=None, body=input).data)

    def send(self, input: Optional[OrdersCancelManySendInput] = None, idempotency_key: Optional[str] = None) -> CancelSendList:
        """Cancel orders. POST /orders/cancel/send"""
        return cast("CancelSendList", self._client.request("POST", "/orders/cancel/send", query=None, body=input, idempotency_key=idempotency_key).data)


class CashDepositsOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def calldata(self, input: CashDepositsCalldataInput) -> CashCalldata:
        """Encode a cash deposit. POST /cash/deposits/calldata"""
        return cast("CashCalldata", self._client.request("POST", "/cash/deposits/calldata", query=None, body=input).data)

    def send(self, input: CashDepositsSendInput, idempotency_key: Optional[str] = None) -> Send:
        """Deposit cash. POST /cash/deposits/send"""
        return cast("Send", self._client.request("POST", "/cash/deposits/send", query=None, body=input, idempotency_key=idempotency_key).data)

    def record(self, input: CashDepositsRecordInput) -> ApiMapping:
        """Record a cash deposit. POST /cash/deposits/tx"""
        return cast("ApiMapping", self._client.request("POST", "/cash/deposits/tx", query=None, body=input).data)

    def list(self, input: Optional[CashDepositsListQuery] = None) -> OperationList:
        """List cash deposits. GET /cash/deposits"""
        return cast("OperationList", self._client.request("GET", "/cash/deposits", query=cast(Any, input), body=None).data)

    def get(self, operation_id: str) -> OperationDetail:
        """Get a cash deposit. GET /cash/deposits/{operationId}"""
        return cast("OperationDetail", self._client.request("GET", f"/cash/deposits/{_segment(operation_id)}", query=None, body=None).data)


class CashWithdrawalsOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def calldata(self, input: CashWithdrawalsCalldataInput) -> CashCalldata:
        """Encode a cash withdrawal. POST /cash/withdrawals/calldata"""
        return cast("CashCalldata", self._client.request("POST", "/cash/withdrawals/calldata", query=None, body=input).data)

    def send(self, input: CashWithdrawalsSendInput, idempotency_key: Optional[str] = None) -> Send:
        """Withdraw cash. POST /cash/withdrawals/send"""
        return cast("Send", self._client.request("POST", "/cash/withdrawals/send", query=None, body=input, idempotency_key=idempotency_key).data)

    def record(self, input: CashWithdrawalsRecordInput) -> ApiMapping:
        """Record a cash withdrawal. POST /cash/withdrawals/tx"""
        return cast("ApiMapping", self._client.request("POST", "/cash/withdrawals/tx", query=None, body=input).data)

    def list(self, input: Optional[CashWithdrawalsListQuery] = None) -> OperationList:
        """List cash withdrawals. GET /cash/withdrawals"""
        return cast("OperationList", self._client.request("GET", "/cash/withdrawals", query=cast(Any, input), body=None).data)

    def get(self, operation_id: str) -> OperationDetail:
        """Get a cash withdrawal. GET /cash/withdrawals/{operationId}"""
        return cast("OperationDetail", self._client.request("GET", f"/cash/withdrawals/{_segment(operation_id)}", query=None, body=None).data)


class StockDepositsOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def calldata(self, input: StockDepositsCalldataInput) -> Calldata:
        """Encode a stock deposit. POST /stock/deposits/calldata"""
        return cast("Calldata", self._client.request("POST", "/stock/deposits/calldata", query=None, body=input).data)

    def send(self, input: StockDepositsSendInput, idempotency_key: Optional[str] = None) -> Send:
        """Deposit stock. POST /stock/deposits/send"""
        return cast("Send", self._client.request("POST", "/stock/deposits/send", query=None, body=input, idempotency_key=idempotency_key).data)

    def record(self, input: StockDepositsRecordInput) -> ApiMapping:
        """Record a stock deposit. POST /stock/deposits/tx"""
        return cast("ApiMapping", self._client.request("POST", "/stock/deposits/tx", query=None, body=input).data)

    def list(self, input: Optional[StockDepositsListQuery] = None) -> OperationList:
        """List stock deposits. GET /stock/deposits"""
        return cast("OperationList", self._client.request("GET", "/stock/deposits", query=cast(Any, input), body=None).data)

    def get(self, operation_id: str) -> OperationDetail:
        """Get a stock deposit. GET /stock/deposits/{operationId}"""
        return cast("OperationDetail", self._client.request("GET", f"/stock/deposits/{_segment(operation_id)}", query=None, body=None).data)


class StockWithdrawalsOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def calldata(self, input: StockWithdrawalsCalldataInput) -> Calldata:
        """Encode a stock withdrawal. POST /stock/withdrawals/calldata"""
        return cast("Calldata", self._client.request("POST", "/stock/withdrawals/calldata", query=None, body=input).data)

    def send(self, input: StockWithdrawalsSendInput, idempotency_key: Optional[str] = None) -> Send:
        """Withdraw stock. POST /stock/withdrawals/send"""
        return cast("Send", self._client.request("POST", "/stock/withdrawals/send", query=None, body=input, idempotency_key=idempotency_key).data)

    def record(self, input: StockWithdrawalsRecordInput) -> ApiMapping:
        """Record a stock withdrawal. POST /stock/withdrawals/tx"""
        return cast("ApiMapping", self._client.request("POST", "/stock/withdrawals/tx", query=None, body=input).data)

    def list(self, input: Optional[StockWithdrawalsListQuery] = None) -> OperationList:
        """List stock withdrawals. GET /stock/withdrawals"""
        return cast("OperationList", self._client.request("GET", "/stock/withdrawals", query=cast(Any, input), body=None).data)

    def get(self, operation_id: str) -> OperationDetail:
        """Get a stock withdrawal. GET /stock/withdrawals/{operationId}"""
        return cast("OperationDetail", self._client.request("GET", f"/stock/withdrawals/{_segment(operation_id)}", query=None, body=None).data)


class UsersOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def balance(self, user_id: str, input: Optional[UsersBalanceQuery] = None) -> Balance:
        """Get a balance. GET /users/{userId}/balance"""
        return cast("Balance", self._client.request("GET", f"/users/{_segment(user_id)}/balance", query=cast(Any, input), body=None).data)

    def positions(self, user_id: str) -> List[Position]:
        """List positions. GET /users/{userId}/positions"""
        return cast("List[Position]", self._client.request("GET", f"/users/{_segment(user_id)}/positions", query=None, body=None).data)

    def activities(self, user_id: str, input: Optional[UsersActivitiesQuery] = None) -> ActivityList:
        """List activities. GET /users/{userId}/activities"""
        return cast("ActivityList", self._client.request("GET", f"/users/{_segment(user_id)}/activities", query=cast(Any, input), body=None).data)

    def statement(self, user_id: str, input: Optional[UsersStatementQuery] = None) -> Statement:
        """Get a statement. GET /users/{userId}/statement"""
        return cast("Statement", self._client.request("GET", f"/users/{_segment(user_id)}/statement", query=cast(Any, input), body=None).data)


class SendsOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def list(self, input: Optional[SendsListQuery] = None) -> SendList:
        """List sends. GET /sends"""
        return cast("SendList", self._client.request("GET", "/sends", query=cast(Any, input), body=None).data)

    def get(self, request_id: str) -> Send:
        """Get a send. GET /sends/{requestId}"""
        return cast("Send", self._client.request("GET", f"/sends/{_segment(request_id)}", query=None, body=None).data)


class EventsOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def list(self, input: Optional[EventsListQuery] = None) -> EventPage:
        """List events. GET /events"""
        return cast("EventPage", self._client.request("GET", "/events", query=cast(Any, input), body=None).data)


class WebhooksOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def list(self) -> WebhookList:
        """List webhooks. GET /webhooks"""
        return cast("WebhookList", self._client.request("GET", "/webhooks", query=None, body=None).data)

    def create(self, input: WebhooksCreateInput) -> NewWebhook:
        """Create a webhook. POST /webhooks"""
        return cast("NewWebhook", self._client.request("POST", "/webhooks", query=None, body=input).data)

    def delete(self, webhook_id: str) -> Webhook:
        """Delete a webhook. DELETE /webhooks/{webhookId}"""
        return cast("Webhook", self._client.request("DELETE", f"/webhooks/{_segment(webhook_id)}", query=None, body=None).data)

    def test(self, webhook_id: str) -> WebhookTest:
        """Test a webhook. POST /webhooks/{webhookId}/test"""
        return cast("WebhookTest", self._client.request("POST", f"/webhooks/{_segment(webhook_id)}/test", query=None, body=None).data)

    def rotate(self, webhook_id: str, input: Optional[WebhooksRotateInput] = None) -> NewWebhook:
        """Rotate a webhook's secret. POST /webhooks/{webhookId}/rotate"""
        return cast("NewWebhook", self._client.request("POST", f"/webhooks/{_segment(webhook_id)}/rotate", query=None, body=input).data)

    def enable(self, webhook_id: str) -> Webhook:
        """Enable a webhook. POST /webhooks/{webhookId}/enable"""
        return cast("Webhook", self._client.request("POST", f"/webhooks/{_segment(webhook_id)}/enable", query=None, body=None).data)

    def deliveries(self, webhook_id: str, input: Optional[WebhooksDeliveriesQuery] = None) -> WebhookDeliveryPage:
        """List deliveries. GET /webhooks/{webhookId}/deliveries"""
        return cast("WebhookDeliveryPage", self._client.request("GET", f"/webhooks/{_segment(webhook_id)}/deliveries", query=cast(Any, input), body=None).data)

    def redeliver(self, webhook_id: str, delivery_id: str) -> WebhookDelivery:
        """Redeliver an event. POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver"""
        return cast("WebhookDelivery", self._client.request("POST", f"/webhooks/{_segment(webhook_id)}/deliveries/{_segment(delivery_id)}/redeliver", query=None, body=None).data)


class StatusOperations:
    def __init__(self, client: PartnerTrading) -> None:
        self._client = client

    def get(self) -> ServiceStatus:
        """Get the status of the service. GET /status"""
        return cast("ServiceStatus", self._client.request("GET", "/status", query=None, body=None).data)


class Operations:
    """Every operation of the API, with the types of its input and its answer."""

    def __init__(self, client: PartnerTrading) -> None:
        self.key = KeyOperations(client)
        self.config = ConfigOperations(client)
        self.symbols = SymbolsOperations(client)
        self.prices = PricesOperations(client)
        self.underlying = UnderlyingOperations(client)
        self.corporate_action = CorporateActionOperations(client)
        self.clock = ClockOperations(client)
        self.calendar = CalendarOperations(client)
        self.one_click = OneClickOperations(client)
        self.orders = OrdersOperations(client)
        self.orders_with_deposit = OrdersWithDepositOperations(client)
        self.orders_cancel_many = OrdersCancelManyOperations(client)
        self.cash_deposits = CashDepositsOperations(client)
        self.cash_withdrawals = CashWithdrawalsOperations(client)
        self.stock_deposits = StockDepositsOperations(client)
        self.stock_withdrawals = StockWithdrawalsOperations(client)
        self.users = UsersOperations(client)
        self.sends = SendsOperations(client)
        self.events = EventsOperations(client)
        self.webhooks = WebhooksOperations(client)
        self.status = StatusOperations(client)
