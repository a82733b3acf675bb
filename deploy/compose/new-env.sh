#!/bin/sh
# Makes what compose.yaml needs and the repository cannot contain: .env with new secrets, deployments.json to fill in, and a key
# of a sending wallet. What is there already stays as it is.
set -eu
umask 077
cd "$(dirname "$0")/.."

if [ ! -e .env ]; then
  while IFS= read -r line; do
    case $line in
      "#"*) printf '%s\n' "$line" ;;
      *"<random>"*) printf '%s%s\n' "${line%<random>}" "$(openssl rand -hex 32)" ;;
      *) printf '%s\n' "$line" ;;
    esac
  done < .env.example > .env.partial
  mv .env.partial .env
  echo "made .env: fill in the node and market data"
fi
if [ ! -e sender-keys ]; then
  openssl rand -hex 32 | sed 's/^/0x/' > sender-keys
  # The worker runs as this user. Only root may hand a file over.
  [ "$(id -u)" != 0 ] || chown 10001:10001 sender-keys
  echo "made sender-keys: a new wallet, whose address the worker logs"
fi
if [ ! -e deployments.json ]; then
  (umask 022; cp deployments.example.json deployments.json)
  echo "made deployments.json: fill in your chains and contracts"
fi
