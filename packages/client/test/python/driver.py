"""Runs calls of the Python client for the tests: one JSON array [operation, arguments] a line, answered on one line."""

import base64
import dataclasses
import itertools
import json
import sys
from decimal import Decimal

import partner_trading
from partner_trading import PartnerTrading, PartnerTradingError, canonical_uri, sign, verify_webhook

# The sandbox's and the test server's clients, by their settings.
clients = {}


def client_of(settings):
    name = json.dumps(settings, sort_keys=True)
    if name not in clients:
        clients[name] = PartnerTrading(**settings)
    return clients[name]


def request(settings, method, path, query=None, body=None, key=None):
    answer = client_of(settings).request(method, path, query, body, key)
    return dataclasses.asdict(answer)


def pages(settings, path, query, count):
    return list(itertools.islice(client_of(settings).pages(path, query), count))


def events(settings, after, types, count):
    with client_of(settings).events(after, types) as stream:
        return [{"cursor": event.cursor, **event} for event in itertools.islice(stream, count)]


def events_of_silent_stream(silence, *arguments):
    usual, partner_trading._STREAM_SILENCE_S = partner_trading._STREAM_SILENCE_S, silence
    try:
        return events(*arguments)
    finally:
        partner_trading._STREAM_SILENCE_S = usual


def prices(settings, symbols, count):
    with client_of(settings).prices(symbols) as stream:
        return [{"market": dict(stream.market), **price} for price in itertools.islice(stream, count)]


def shown(settings):
    client = client_of(settings)
    return repr(client) + str(client) + str(vars(client))


OPERATIONS = {
    "sign": sign,
    "canonical_uri": canonical_uri,
    "verify_webhook": lambda secret, headers, body, tolerance=300: verify_webhook(
        secret, headers, base64.b64decode(body), tolerance
    ),
    "request": request,
    "prices": prices,
    "post": lambda settings, path, body: client_of(settings).post(path, body),
    "delete": lambda settings, path: client_of(settings).delete(path),
    "get_decimal": lambda settings, path, value: client_of(settings).get(path, {"limit": Decimal(value)}),
    "pages": pages,
    "events": events,
    "events_of_silent_stream": events_of_silent_stream,
    "wait_for_order": lambda settings, *arguments: client_of(settings).wait_for_order(*arguments),
    "shown": shown,
}


def attributes(error):
    plain = (str, int, bool, type(None))
    return {name: value for name, value in vars(error).items() if isinstance(value, plain)}


for line in sys.stdin:
    operation, arguments = json.loads(line)
    try:
        outcome = {"value": OPERATIONS[operation](*arguments)}
    except (PartnerTradingError, ValueError, TypeError) as error:
        outcome = {"error": type(error).__name__, "message": str(error), **attributes(error)}
    print(json.dumps(outcome, default=str), flush=True)
