#!/bin/sh
# Signs requests with openssl and sends them with curl, in any POSIX shell.
#
# Credentials are read from the environment: PARTNER_TRADING_BASE_URL, _API_KEY, _API_SECRET, _CHAIN_ID and _PRODUCT.
# While a sandbox runs, this sets them from .sandbox/state.json:  eval "$(node examples/sandbox-env.mjs)"
#
#   sh examples/curl.sh GET '/orders?status=New&limit=5'
#   sh examples/curl.sh POST /orders/calldata '{"symbol":"AAPL","side":"Buy","type":"Market","notional":"100","deadline":1924992000}'
#   sh examples/curl.sh sign GET /api/v1/key 1795226400000 3f2b8a4e-6c1d-4b7a-9e5f-000000000001     prints x-api-sign
#
# Or in a script:  . examples/curl.sh; partner GET /key; partner DELETE /orders/0x…/send '' -H 'Idempotency-Key: cancel-42'

# partner_sign METHOD URI TIMESTAMP NONCE [BODY]: prints the signature of exactly these values.
# openssl takes the secret as an argument, which `ps` shows: on a machine that others use, take a client library.
partner_sign() {
  printf '%s\n%s\n%s\n%s\n%s' "$1" "$2" "$3" "$4" "${5-}" |
    openssl dgst -sha256 -hmac "${PARTNER_TRADING_API_SECRET:?is not set}" -r | cut -d ' ' -f 1
}

# partner_uri PATH: prints the path from /api/v1 with its query, percent-encoded already, sorted by name.
partner_uri() {
  case $1 in
    /api/v1/*) printf '%s' "${1%%\?*}" ;;
    *) printf '/api/v1%s' "${1%%\?*}" ;;
  esac
  case $1 in
    *\?*) printf '?%s' "$(printf '%s' "${1#*\?}" | tr '&' '\n' | LC_ALL=C sort -t = -k 1,1 | paste -s -d '&' -)" ;;
  esac
}

# partner METHOD PATH [BODY [CURL_OPTION...]]: sends a signed request, prints the answer. Its body is a subshell: all variables
# are local.
partner() (
  method=$1 uri=$(partner_uri "$2") body=${3-}
  shift $(($# < 3 ? $# : 3))
  # Each request needs a new nonce; the timestamp is in milliseconds.
  ts=$(date +%s)000
  nonce=$(openssl rand -hex 16 | sed 's/^\(.\{8\}\)\(.\{4\}\).\(.\{3\}\).\(.\{3\}\)/\1-\2-4\3-8\4-/')
  signature=$(partner_sign "$method" "$uri" "$ts" "$nonce" "$body")
  # The body is sent exactly as it was signed.
  if [ -n "$body" ]; then set -- -H 'content-type: application/json' --data-raw "$body" "$@"; fi
  curl -sS -X "$method" "${PARTNER_TRADING_BASE_URL:?is not set}$uri" \
    -H "x-api-key: ${PARTNER_TRADING_API_KEY:?is not set}" \
    -H "x-api-ts: $ts" \
    -H "x-api-nonce: $nonce" \
    -H "x-api-chain-id: ${PARTNER_TRADING_CHAIN_ID:?is not set}" \
    -H "x-api-p: ${PARTNER_TRADING_PRODUCT:?is not set}" \
    -H "x-api-sign: $signature" \
    "$@"
)

# Run as a program, rather than read with `.`
if [ "${0##*/}" = curl.sh ]; then
  case ${1-} in
    sign) shift && partner_sign "$@" ;;
    GET | POST | DELETE) partner "$@" && echo ;;
    *) echo "usage: sh examples/curl.sh GET|POST|DELETE PATH [BODY]" >&2 && exit 2 ;;
  esac
fi
