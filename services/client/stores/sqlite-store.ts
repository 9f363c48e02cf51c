import type { Certificate } from "../certificate.ts";
import { isObject } from "../certificate.ts";
import { type CertificateStore, requireLatestRound, type SyncPosition } from "../sync/certificate-store.ts";

/** The part of `DatabaseSync` of `node:sqlite` that the store needs. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): {
    run(...values: (string | number | null)[]): { changes: number | bigint };
    get(): unknown;
  };
}

// `certificate_now` shows the status at the time of the query: expiry changes no row.
const schema = `
CREATE TABLE IF NOT EXISTS certificate (
  id TEXT PRIMARY KEY,
  serial TEXT NOT NULL,
  status TEXT NOT NULL,
  owner_email TEXT NOT NULL,
  order_name TEXT,
  updated_at TEXT NOT NULL,
  expires_at TEXT,
  round INTEGER NOT NULL,
  json TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS certificate_serial ON certificate (serial);
CREATE INDEX IF NOT EXISTS certificate_owner ON certificate (owner_email);
CREATE TABLE IF NOT EXISTS sync_position (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), json TEXT NOT NULL) STRICT;
CREATE VIEW IF NOT EXISTS certificate_now AS
SELECT id, serial, owner_email, order_name, updated_at, expires_at, json,
  CASE WHEN status = 'active' AND expires_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now') THEN 'expired' ELSE status END
    AS status
FROM certificate;
`;

/** @param comparison see `replaces`: `>=` for certificates of the list, `>` for one of a message */
const upsertIf = (comparison: ">" | ">=") => `
INSERT INTO certificate (id, serial, status, owner_email, order_name, updated_at, expires_at, round, json)
VALUES (?, ?, ?, ?, ?, ?, ?, coalesce(?, (SELECT json ->> 'round' FROM sync_position), 0), ?)
ON CONFLICT (id) DO UPDATE SET
  serial = excluded.serial, status = excluded.status, owner_email = excluded.owner_email,
  order_name = excluded.order_name, updated_at = excluded.updated_at, expires_at = excluded.expires_at,
  round = excluded.round, json = excluded.json
WHERE (excluded.round, excluded.updated_at) ${comparison} (certificate.round, certificate.updated_at)
`;

const savePosition =
  "INSERT INTO sync_position VALUES (1, ?) ON CONFLICT (only_row) DO UPDATE SET json = excluded.json";

/**
 * Keeps a copy in the SQLite table `certificate`. Example: `new SqliteStore(new DatabaseSync("copy.db"))`. Query the
 * view `certificate_now`, which computes the current status. Several processes may use the same file.
 */
export class SqliteStore implements CertificateStore {
  readonly #database: SqliteDatabase;

  /**
   * Creates the tables that are missing. Also sets a busy timeout of 10 s on the connection, and switches the file to a
   * write-ahead log.
   */
  constructor(database: SqliteDatabase) {
    this.#database = database;
    database.exec("PRAGMA busy_timeout = 10000");
    useWriteAheadLog(database);
    database.exec(schema);
  }

  async loadPosition(): Promise<SyncPosition | undefined> {
    return this.#loadPosition();
  }

  #loadPosition(): SyncPosition | undefined {
    const row = this.#database.prepare("SELECT json FROM sync_position").get();
    // Not validated, because only `save` writes the position.
    return isObject(row) ? (JSON.parse(String(row.json)) as SyncPosition) : undefined;
  }

  async save(certificates: readonly Certificate[], position?: SyncPosition): Promise<void> {
    const database = this.#database;
    database.exec("BEGIN IMMEDIATE");
    try {
      requireLatestRound(position, this.#loadPosition());
      const statement = database.prepare(upsertIf(position === undefined ? ">" : ">="));
      for (const one of certificates) {
        const { id, serial, status, owner, order, updatedAt, expiresAt } = one;
        const round = position?.round ?? null;
        statement.run(id, serial, status, owner.email, order.name, updatedAt, expiresAt, round, JSON.stringify(one));
      }
      if (position !== undefined) database.prepare(savePosition).run(JSON.stringify(position));
      database.exec("COMMIT");
    } catch (error) {
      rollBack(database);
      throw error;
    }
  }

  async removeBefore(round: number): Promise<number> {
    return Number(this.#database.prepare("DELETE FROM certificate WHERE round < ?").run(round).changes);
  }
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // After some errors, such as a full disk, SQLite has rolled back by itself.
  }
}

/**
 * Switches the file to a write-ahead log, with which reads and writes do not wait for each other. While another process
 * writes, SQLite refuses the switch immediately, regardless of the busy timeout. The store works without the log, and
 * the next process that opens the file tries again.
 */
function useWriteAheadLog(database: SqliteDatabase): void {
  try {
    database.exec("PRAGMA journal_mode = WAL");
  } catch {
    // If the file cannot be used at all, the next statement throws an error.
  }
}
