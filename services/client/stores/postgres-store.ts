import type { Certificate } from "../certificate.ts";
import { isObject } from "../certificate.ts";
import { type CertificateStore, overtaken, type SyncPosition } from "../sync/certificate-store.ts";

/** The part of a `Pool` or `Client` of `pg` that the store needs. */
export interface PostgresDatabase {
  /** Without `values`, `sql` can contain several statements, which run in one transaction. */
  query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

// `certificate_now` shows the status at the time of the query: expiry changes no row.
const schema = [
  // Locked until the end of the transaction, because IF NOT EXISTS fails if another process creates the same table at
  // the same time.
  "SELECT pg_advisory_xact_lock(hashtext('certificate-registry/client'))",
  `CREATE TABLE IF NOT EXISTS certificate (
    id text PRIMARY KEY,
    serial text NOT NULL,
    status text NOT NULL,
    owner_email text NOT NULL,
    order_name text,
    updated_at timestamptz NOT NULL,
    expires_at timestamptz,
    round integer NOT NULL,
    json jsonb NOT NULL
  )`,
  "CREATE INDEX IF NOT EXISTS certificate_serial ON certificate (serial)",
  "CREATE INDEX IF NOT EXISTS certificate_owner ON certificate (owner_email)",
  "CREATE TABLE IF NOT EXISTS sync_position (only_row boolean PRIMARY KEY CHECK (only_row), json jsonb)",
  // The row always exists, so that saves can lock it.
  "INSERT INTO sync_position VALUES (true, NULL) ON CONFLICT DO NOTHING",
  `CREATE OR REPLACE VIEW certificate_now AS
  SELECT id, serial, owner_email, order_name, updated_at, expires_at, json,
    CASE WHEN status = 'active' AND expires_at <= now() THEN 'expired' ELSE status END AS status
  FROM certificate`,
];

// Whether the position $2, if any, belongs to the stored round or to a later one.
const isLatestRound = "coalesce(($2::jsonb ->> 'round')::integer >= (json ->> 'round')::integer, true)";

// One statement, hence one transaction. The lock on the position prevents a concurrent save from starting the next
// round while this statement still uses the previous round.
const save = `
WITH position AS MATERIALIZED (SELECT json FROM sync_position WHERE ${isLatestRound} FOR UPDATE),
saved_position AS (
  UPDATE sync_position SET json = $2::jsonb WHERE $2::jsonb IS NOT NULL AND ${isLatestRound}
),
saved AS (
  INSERT INTO certificate (id, serial, status, owner_email, order_name, updated_at, expires_at, round, json)
  SELECT one ->> 'id', one ->> 'serial', one ->> 'status', one #>> '{owner,email}', one #>> '{order,name}',
    (one ->> 'updatedAt')::timestamptz, (one ->> 'expiresAt')::timestamptz,
    coalesce((coalesce($2::jsonb, position.json) ->> 'round')::integer, 0), one
  FROM position, jsonb_array_elements($1::jsonb) AS one
  ON CONFLICT (id) DO UPDATE SET
    serial = excluded.serial, status = excluded.status, owner_email = excluded.owner_email,
    order_name = excluded.order_name, updated_at = excluded.updated_at, expires_at = excluded.expires_at,
    round = excluded.round, json = excluded.json
  WHERE (excluded.round, excluded.updated_at) > (certificate.round, certificate.updated_at)
    -- Without a position, the certificates are from a message.
    OR ($2::jsonb IS NOT NULL AND (excluded.round, excluded.updated_at) = (certificate.round, certificate.updated_at))
)
SELECT 1 FROM position
`;

/**
 * Keeps a copy in the PostgreSQL table `certificate`. Example: `await PostgresStore.open(new Pool())`. Query the view
 * `certificate_now`, which computes the current status.
 */
export class PostgresStore implements CertificateStore {
  readonly #database: PostgresDatabase;

  private constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** Creates the tables that are missing, in the first schema of the connection's search path. */
  static async open(database: PostgresDatabase): Promise<PostgresStore> {
    // One call without values, hence one connection and one transaction.
    await database.query(schema.join(";\n"));
    return new PostgresStore(database);
  }

  async loadPosition(): Promise<SyncPosition | undefined> {
    const { rows } = await this.#database.query("SELECT json::text FROM sync_position WHERE json IS NOT NULL");
    const [row] = rows;
    // Not validated, because only `save` writes the position.
    return isObject(row) ? (JSON.parse(String(row.json)) as SyncPosition) : undefined;
  }

  async save(certificates: readonly Certificate[], position?: SyncPosition): Promise<void> {
    const values = [JSON.stringify(certificates), position === undefined ? null : JSON.stringify(position)];
    const { rows } = await this.#database.query(save, values);
    if (rows.length === 0) throw overtaken();
  }

  async removeBefore(round: number): Promise<number> {
    const { rows } = await this.#database.query("DELETE FROM certificate WHERE round < $1 RETURNING id", [round]);
    return rows.length;
  }
}
