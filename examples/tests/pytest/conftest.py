pytest_plugins = ["partner_trading_sandbox"]
