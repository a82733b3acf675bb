"""A program that `partner-trading certify` accepts, with the Python client: each task is what a trading program does anyway.

Its protocol is in docs/certification.md.
"""

import json
import os
import threading
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from partner_trading import ApiError, NetworkError, PartnerTrading, WebhookVerificationError, verify_webhook

ENDED = {"Filled", "Canceled", "Expired", "Rejected", "Failed"}
trading = PartnerTrading()


def order(task):
    """Sends an order and waits until it has ended."""
    try:
        sent = trading.post("/orders/send", task["order"])
        ended = trading.wait_for_order(sent, ENDED)
    except ApiError as error:
        return {"errCode": error.err_code}
    history = ended["historyOrder"] or {}
    return {"status": ended["status"], "filledQuantity": history.get("filledQuantity", "0")}


class Book:
    """Orders by id with their latest state, and the events that it comes from."""

    def __init__(self):
        self.events = {}
        self.states = {}

    def take(self, event):
        self.events[event["eventId"]] = True
        if event["resource"] != "orders" or not event["data"].get("orderId"):
            return
        order_id, status = event["data"]["orderId"], event["data"].get("status")
        # A late event reports an older state.
        if event["sequence"] > self.states.get(order_id, (0, None))[0]:
            self.states[order_id] = (event["sequence"], status)

    def has_ended(self, order_id):
        return self.states.get(order_id, (0, None))[1] in ENDED

    def result(self):
        orders = {order_id: status for order_id, (_, status) in self.states.items()}
        return {"events": list(self.events), "orders": orders}


def follow(task):
    """Keeps a book by the stream of events."""
    book = Book()
    with trading.events(after=task["after"]) as events:
        for event in events:
            book.take(event)
            if book.has_ended(task["until"]):
                break
    return book.result()


def webhook(task):
    """Keeps a book by webhooks."""
    book, received, lock = Book(), set(), threading.Lock()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            try:
                event = verify_webhook(task["secret"], self.headers, body)
            except WebhookVerificationError:
                return self.answer(400)
            with lock:
                if self.headers["webhook-id"] not in received:
                    book.take(event)
                received.add(self.headers["webhook-id"])
            self.answer(204)
            if book.has_ended(task["until"]):
                threading.Thread(target=server.shutdown).start()

        def answer(self, status):
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", task["port"]), Receiver)
    server.serve_forever()
    return book.result()


def list_orders(task):
    """Adds up the orders of a list."""
    rows = [row["historyOrder"] for row in trading.pages("/orders", task["query"])]
    filled = sum((Decimal(row["filledQuantity"]) for row in rows), Decimal(0))
    return {"count": len(rows), "filledQuantity": format(filled, "f")}


def rotate(task):
    """Rotates the key's secret, and goes on with the new one."""
    rotated = rotate_surely(task)
    # Here a program stores the new secret.
    key = PartnerTrading(api_secret=rotated["apiSecret"]).get("/key")
    return {"previousSecretUntil": key["previousSecretUntil"]}


def rotate_surely(task, tries=3):
    """Where the answer is lost, the old secret still works, and the secret that nobody saw is replaced."""
    try:
        return trading.post("/key/rotate", task)
    except NetworkError:
        if tries == 1:
            raise
        return rotate_surely(task, tries - 1)


TASKS = {"order": order, "follow": follow, "list": list_orders, "webhook": webhook, "rotate": rotate}
print(json.dumps(TASKS[os.environ["CERTIFY_TASK"]](json.loads(os.environ["CERTIFY_INPUT"]))))
