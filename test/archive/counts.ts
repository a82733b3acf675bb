import type pg from "pg";

const SHAPES = `
  SELECT key_id, chain_id, product_type, 'order' AS kind, status, coalesce(side, '') AS side, coalesce(order_type, '') AS order_type
  FROM app.settled_order
  UNION ALL SELECT key_id, chain_id, product_type, kind, status, '', '' FROM app.settled_operation`;
const COLUMNS = "key_id, chain_id, product_type, kind, status, side, order_type";

/** Returns the counts that are not the number of the settled rows which they count: none, ever. */
export async function wrongCounts(pool: pg.Pool): Promise<unknown[]> {
  const { rows } = await pool.query(`
    SELECT ${COLUMNS}, sum(n)::int AS too_many FROM (
      SELECT ${COLUMNS}, row_count AS n FROM app.settled_count
      UNION ALL SELECT ${COLUMNS}, row_count FROM app.settled_count_change
      UNION ALL SELECT ${COLUMNS}, -1 FROM (${SHAPES}) s) d
    GROUP BY ${COLUMNS} HAVING sum(n) <> 0`);
  return rows;
}
