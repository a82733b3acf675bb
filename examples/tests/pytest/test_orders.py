"""A partner's test with pytest 7 or newer. Install the wheel of the client and, with npm install, partner-trading-sandbox
(docs/SANDBOX.md); then run pytest.
"""

import time

from partner_trading import PartnerTrading


def buy(trading: PartnerTrading) -> str:
    order = {
        "symbol": "AAPL",
        "side": "Buy",
        "type": "Market",
        "notional": "100",
        "deadline": int(time.time()) + 600,
    }
    trading.post("/orders/send", order)
    # The key is this test's own, and has no other order.
    while True:
        for row in trading.get("/orders", {"status": "Filled"})["rows"]:
            return row["orderId"]
        time.sleep(0.2)


def test_an_order_is_filled(exchange_user):
    assert buy(PartnerTrading(**exchange_user.credentials)).startswith("0x")


def test_a_user_sees_their_own_orders_alone(exchange_user):
    trading = PartnerTrading(**exchange_user.credentials)
    order_id = buy(trading)
    assert [row["orderId"] for row in trading.get("/orders")["rows"]] == [order_id]
