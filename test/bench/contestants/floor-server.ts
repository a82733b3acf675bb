import { createServer } from "node:http";
import pg from "pg";

/**
 * Minimum that a server in Node.js does for this answer: node:http and one named statement, no authentication, no
 * framework. Any other path is answered 404 without the database, which shows what the load generator can carry.
 */
const { DATABASE_URL, PORT } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 16 });

const ORDER = `SELECT o.order_id AS "orderId", o.user_address, o.side, o.order_type, o.notional::text, o.status,
    o.filled_quantity::text, o.fee::text
  FROM onchain.stock_order o WHERE o.chain_id = $1 AND o.product_type = $2 AND o.order_id = $3`;
const PATH = "/orders/";

createServer(async (request, response) => {
  const [path = "", query] = (request.url ?? "").split("?");
  if (!path.startsWith(PATH)) {
    response.writeHead(404, { "content-type": "application/json" }).end('{"code":404}');
    return;
  }
  const scope = new URLSearchParams(query);
  const values = [scope.get("chainId"), scope.get("productType"), path.slice(PATH.length)];
  const { rows } = await pool.query({ name: "order", text: ORDER, values });
  const body = JSON.stringify({ data: rows[0] ?? null });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}).listen(Number(PORT), "127.0.0.1");
