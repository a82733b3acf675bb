# The service's image with the package for keys in a PKCS#11 device (docs/operations/wallet-keys.md), for workers. Add the device's own driver,
# built for glibc, in an image of yours or by a volume.
#   docker build -f deploy/pkcs11.Dockerfile --build-arg SERVICE=partner-trading-api -t partner-trading-api-pkcs11 .
ARG SERVICE=partner-trading-api
FROM node:24-bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3
WORKDIR /app/packages/pkcs11
COPY packages/pkcs11 ./
RUN npm ci --no-audit --no-fund

FROM $SERVICE
COPY --from=build /app/packages/pkcs11 packages/pkcs11
