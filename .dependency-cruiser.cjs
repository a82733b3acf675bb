// Import directions (ARCHITECTURE.md, "Rooms"). Each rule says why, so that a failure explains itself.
const FEATURES = "orders|operations|oneclick|market|portfolio|key";

/** Rooms of src/, lowest first: each may use those below it, and none above. Rooms of one line do not use each other. */
const LAYERS = [
  "protocol|contracts|telemetry",
  "config",
  "db|market-data",
  "chain|auth|changes",
  "context",
  "claims",
  "calldata",
  "sending",
  FEATURES,
  "dashboard|events",
  "webhooks",
  "http",
  "api",
];

const layers = LAYERS.map((layer, index) => ({
  name: `layer-${index + 1}-knows-none-above`,
  comment: "A room stands on those below it (LAYERS); what two rooms need belongs below both.",
  severity: "error",
  from: { path: `^src/(${layer})/` },
  to: {
    path: `^src/(${[layer, ...LAYERS.slice(index + 1)].join("|")})/`,
    // Its own room.
    pathNot: "^src/$1/",
  },
}));

module.exports = {
  forbidden: [
    ...layers,
    {
      name: "no-cycles",
      comment: "A cycle means that two parts are really one, or that a piece lives in the wrong place.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-cycles-between-rooms",
      comment: "Rooms depend on each other in one direction only, whatever their files do.",
      severity: "error",
      scope: "folder",
      from: { path: "^(src/[^/]+|indexer)$" },
      to: { circular: true, path: "^(src/[^/]+|indexer)$" },
    },
    {
      name: "no-room-knows-the-programs",
      comment: "Programs in src/ put rooms together: what two of them need is in a room.",
      severity: "error",
      from: { path: "^(indexer|packages/[^/]+/src|src/(?!bin/)[^/]+)/" },
      to: { path: "^src/([^/]+[.]ts$|bin/)" },
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
      name: "the-service-knows-no-package-of-packages",
      comment:
        "Production runs without the sandbox, and without what partners and browsers load: packages stand on the service.",
      severity: "error",
      from: { path: "^(src|indexer)/" },
      to: { path: "^packages/" },
    },
    {
      name: "packages-do-not-know-each-other",
      comment:
        "What two of them need is in the service. The sandbox is also a partner of itself, with the client library.",
      severity: "error",
      from: { path: "^packages/([^/]+)/src/" },
      to: { path: "^packages/", pathNot: ["^packages/$1/", "^packages/client/src/index[.]ts$"] },
    },
    {
      name: "only-the-sandbox-is-a-partner",
      comment: "The client library is for programs of partners.",
      severity: "error",
      from: { path: "^packages/(admin|pages)/src/" },
      to: { path: "^packages/client/" },
    },
    {
      name: "packages-name-what-they-use",
      comment:
        "Each package, and the service, is installed with the dependencies of its own package.json alone.",
      severity: "error",
      from: {
        path: "^(src|indexer|packages|tools|test)/",
        pathNot: "^test/bench/contestants/|[.]bruno[.]js$",
      },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "the-mcp-server-is-a-partner",
      comment:
        "Partners install it: it calls the service by the client library, and nothing of the service is in it.",
      severity: "error",
      from: { path: "^packages/mcp/src/" },
      to: {
        path: "^(src|indexer|packages)/",
        pathNot: "^packages/(mcp/src|client/src/index[.]ts$|mcp/package[.]json$)",
      },
    },
    {
      name: "only-the-mcp-server-knows-its-protocol",
      comment: "Its SDK brings two web servers along, of which the bundle of packages/mcp has none.",
      severity: "error",
      from: { path: "^(src|indexer|packages)/", pathNot: "^packages/mcp/" },
      to: { path: "node_modules/@modelcontextprotocol/" },
    },
    {
      name: "the-client-imports-wire-rules-only",
      comment: "Partners install the client library: it may not drag the server along.",
      severity: "error",
      from: { path: "^packages/client/src/" },
      to: { path: "^(src|indexer)/", pathNot: "^src/protocol/" },
    },
    {
      name: "the-client-needs-no-package",
      comment:
        "Whoever installs it installs nothing else. The parser of server-sent events and the packages of its command line are bundled.",
      severity: "error",
      from: { path: "^packages/client/src/", pathNot: "^packages/client/src/cli/" },
      to: { path: "node_modules", pathNot: "node_modules/(@types|eventsource-parser)/" },
    },
    {
      name: "the-client-runs-in-browsers",
      comment: "Modules of Node.js are for its command line alone.",
      severity: "error",
      from: { path: "^packages/client/src/", pathNot: "^packages/client/src/cli/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "the-dashboard-page-shares-nothing",
      comment:
        "Its scripts are bundled for browsers: they may import each other and packages, and nothing of the service.",
      severity: "error",
      from: { path: "^packages/pages/src/dashboard/" },
      to: { pathNot: "^packages/pages/src/dashboard/|node_modules/" },
    },
    {
      name: "the-reference-page-shares-wire-rules-only",
      comment: "Its scripts are bundled for browsers, where nothing of the service may end up.",
      severity: "error",
      from: { path: "^packages/pages/src/docs/" },
      to: { pathNot: "^(packages/pages/src/docs|src/protocol)/" },
    },
    {
      name: "indexer-imports-shared-ground-only",
      comment: "The indexer rebuilds onchain.* from events alone: no database, no http, no features.",
      severity: "error",
      from: { path: "^indexer/" },
      to: { path: "^src/", pathNot: "^src/(contracts|config|protocol)/" },
    },
    {
      name: "only-the-deliverer-posts-to-receivers",
      comment:
        "What a webhook's receiver answers must cost no request and no send: api and worker hold no code that posts to one.",
      severity: "error",
      from: { path: "^src/(main|worker)[.]ts$" },
      to: { path: "^src/webhooks/(post|connection)[.]ts$", reachable: true },
    },
    {
      name: "the-deliverer-signs-nothing-for-wallets",
      comment:
        "It talks to servers that anybody may run: it holds no key of a wallet, and no code that uses one.",
      severity: "error",
      from: { path: "^src/deliverer[.]ts$" },
      to: { path: "^src/sending/(signer|sender)/", reachable: true },
    },
    {
      name: "production-needs-no-dev-dependency",
      comment:
        "Only what is bundled for browsers and partners, the sandbox and the tests may use packages that a production install " +
        "leaves out, and otel.ts, of whose 25 MB the build bundles half a megabyte.",
      severity: "error",
      from: { path: "^(src|indexer|packages/admin/src)/", pathNot: "^src/telemetry/otel[.]ts$" },
      to: { dependencyTypes: ["npm-dev"], pathNot: "node_modules/@types/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(src/db/generated|packages/(client|mcp)/dist)" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default"],
    },
  },
};
