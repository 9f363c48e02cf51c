import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { PostgresStore, SqliteStore } from "../../../services/client/index.ts";

/** The kind of database into which the client library copies a store. */
export type MirrorKind = "SQLite" | "PostgreSQL";

interface CopiedCertificate {
  readonly id: string;
  readonly status: string;
}

/**
 * Opens a mirror's database.
 *
 * @param location path of the SQLite file, or connection string of PostgreSQL
 */
export async function openStore(kind: MirrorKind, location: string) {
  const query = "SELECT json, status FROM certificate_now";
  if (kind === "SQLite") {
    const database = new DatabaseSync(location);
    return {
      store: new SqliteStore(database),
      /** Returns the certificates, each with its current status. */
      read: async (): Promise<CopiedCertificate[]> =>
        database
          .prepare(query)
          .all()
          .map(({ json, status }) => ({ ...JSON.parse(String(json)), status })),
      close: async () => database.close(),
    };
  }
  const pool = new pg.Pool({ connectionString: location, max: 1 });
  // Without a listener, an error on an idle connection would end the process. The pool replaces the connection.
  pool.on("error", () => undefined);
  return {
    store: await PostgresStore.open(pool),
    read: async (): Promise<CopiedCertificate[]> =>
      (await pool.query(query)).rows.map(({ json, status }: { json: CopiedCertificate; status: string }) => ({
        ...json,
        status,
      })),
    close: () => pool.end(),
  };
}
