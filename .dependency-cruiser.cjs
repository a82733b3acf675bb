// Import directions (ARCHITECTURE.md, "Layout"). Each rule says why, so that a failure explains itself.
const FEATURES = "orders|cash|stock|oneclick|market|portfolio";

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "A cycle means that two parts are really one, or that a piece lives in the wrong place.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "protocol-imports-nothing-of-ours",
      comment: "Wire rules are shared with clients: they may not drag the server along.",
      severity: "error",
      from: { path: "^src/protocol/" },
      to: { path: "^(src|indexer)/", pathNot: "^src/protocol/" },
    },
    {
      name: "contracts-import-nothing-of-ours",
      comment: "ABIs are shared by server, indexer, sandbox and clients.",
      severity: "error",
      from: { path: "^src/contracts/" },
      to: { path: "^(src|indexer)/", pathNot: "^src/contracts/" },
    },
    {
      name: "features-stand-alone",
      comment:
        "What two features need belongs below them (src/transactions, src/chain, src/db, src/protocol).",
      severity: "error",
      from: { path: `^src/(${FEATURES})/` },
      to: { path: `^src/(${FEATURES})/`, pathNot: "^src/$1/" },
    },
    {
      name: "nothing-stands-on-the-dashboard",
      comment:
        "What dashboards see is put together from the features' reads; no feature and no platform part needs it.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(dashboard/|http/schema\\.ts$|main\\.ts$)" },
      to: { path: "^src/dashboard/" },
    },
    {
      name: "the-page-is-served-as-it-stands",
      comment: "Browsers get these files without a build: they may import nothing but each other.",
      severity: "error",
      from: { path: "^src/dashboard-page/browser/" },
      to: { pathNot: "^src/dashboard-page/browser/" },
    },
    {
      name: "platform-knows-no-feature",
      comment:
        "Features stand on the platform, never the other way round; http/schema.ts and the roots join them.",
      severity: "error",
      from: { path: "^src/(auth|chain|config|db|transactions)/" },
      to: { path: `^src/(${FEATURES}|http|sandbox|cli)/` },
    },
    {
      name: "nothing-depends-on-the-sandbox",
      comment: "The sandbox is a stand-in: production must run without it.",
      severity: "error",
      from: { path: "^(src|indexer)/", pathNot: "^src/sandbox/" },
      to: { path: "^src/sandbox/" },
    },
    {
      name: "indexer-imports-shared-ground-only",
      comment: "The indexer rebuilds onchain.* from events alone: no database, no http, no features.",
      severity: "error",
      from: { path: "^indexer/" },
      to: { path: "^src/", pathNot: "^src/(contracts|config|protocol)/" },
    },
    {
      name: "production-needs-no-dev-dependency",
      comment: "Only the sandbox and the tests may use packages that a production install leaves out.",
      severity: "error",
      from: { path: "^(src|indexer)/", pathNot: "^src/sandbox/" },
      to: { dependencyTypes: ["npm-dev"], pathNot: "node_modules/@types/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^src/db/generated" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default"],
    },
  },
};
