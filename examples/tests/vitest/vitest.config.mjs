export default { test: { globalSetup: "partner-trading-sandbox/setup", globals: true, testTimeout: 60_000 } };
