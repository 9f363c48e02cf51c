import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import {
  type Certificate,
  type CertificateStore,
  type RegistryClient,
  SqliteStore,
  saveMessage,
  sync,
  type WebhookMessage,
} from "../../../../services/client/index.ts";

/** A certificate in the mirror. */
export interface MirrorRow {
  readonly id: string;
  readonly serial: string;
  readonly status: string;
  readonly updatedAt: string;
  /** The number as the store formats it; null if the certificate has no edition. */
  readonly edition: string | null;
  readonly revokedReason: string | null;
  readonly verifyUrl: string;
  /** `sync` if a catch-up in this run of the demo shop saved the row's current state, otherwise `webhook`. */
  readonly source: "webhook" | "sync";
}

/** The result of a catch-up. */
interface CatchUp {
  /** Number of certificates read from the list. */
  readonly read: number;
  readonly tookMs: number;
}

/** The mirror's state, which the shop's page displays. */
interface MirrorState {
  /** While it is paused, the mirror misses every message, like a server that is down. */
  readonly isPaused: boolean;
  /** Number of messages missed since the start of the latest successful catch-up. */
  readonly missed: number;
  readonly count: number;
  readonly isCatchingUp: boolean;
  /** The latest catch-up that succeeded in this run of the demo shop; null if none has. */
  readonly lastCatchUp: CatchUp | null;
  /** Why the latest catch-up failed; null if it succeeded, or if none has ended. */
  readonly problem: string | null;
}

interface MirrorDeps {
  /** SQLite database; created if it is missing. */
  readonly file: string;
  readonly client: RegistryClient;
  /** Called when the mirror is paused, and when a catch-up starts, saves a page or ends; not for messages. */
  readonly onChange: () => void;
  readonly now: () => Date;
}

const storedRow = z.object({
  id: z.string(),
  serial: z.string(),
  status: z.string(),
  updatedAt: z.string(),
  edition: z.string().nullable(),
  revokedReason: z.string().nullable(),
  verifyUrl: z.string(),
});
const rowsQuery = `SELECT id, serial, status, updated_at AS updatedAt, json ->> '$.edition.formatted' AS edition,
json ->> '$.revokedReason' AS revokedReason, json ->> '$.verifyUrl' AS verifyUrl FROM certificate_now
WHERE order_name = ? AND json ->> '$.order.id' = ? ORDER BY serial`;
const countRow = z.object({ count: z.int() });

/** An integrator's copy of the store's certificates in SQLite, kept current by the client library. */
export class Mirror {
  readonly #database: DatabaseSync;
  readonly #store: SqliteStore;
  readonly #client: RegistryClient;
  readonly #onChange: () => void;
  readonly #now: () => Date;
  readonly #stopping = new AbortController();
  // Maps a certificate id to the version (`updatedAt`) that a catch-up last saved, and the time at which it did.
  readonly #readFromList = new Map<string, { readonly version: string; readonly at: Date }>();
  #catchingUp: Promise<void> | undefined;
  #isPaused = false;
  #missed = 0;
  #lastCatchUp: CatchUp | null = null;
  #problem: string | null = null;

  constructor({ file, client, onChange, now }: MirrorDeps) {
    this.#database = new DatabaseSync(file);
    this.#store = new SqliteStore(this.#database);
    this.#client = client;
    this.#onChange = onChange;
    this.#now = now;
  }

  get state(): MirrorState {
    const row = this.#database.prepare("SELECT count(*) AS count FROM certificate").get();
    return {
      isPaused: this.#isPaused,
      missed: this.#missed,
      count: countRow.parse(row).count,
      isCatchingUp: this.#catchingUp !== undefined,
      lastCatchUp: this.#lastCatchUp,
      problem: this.#problem,
    };
  }

  /** Returns the certificates of an order, ordered by serial number. */
  rowsOf({ id, name }: { readonly id: number; readonly name: string }): MirrorRow[] {
    return this.#database
      .prepare(rowsQuery)
      .all(name, String(id))
      .map((row) => {
        const stored = storedRow.parse(row);
        const isRead = this.#readFromList.get(stored.id)?.version === stored.updatedAt;
        return { ...stored, source: isRead ? "sync" : "webhook" };
      });
  }

  /** Returns the time at which a catch-up saved this or a later state of a certificate, if any did. */
  caughtUpAt({ id, updatedAt }: Pick<Certificate, "id" | "updatedAt">): Date | undefined {
    const read = this.#readFromList.get(id);
    return read !== undefined && read.version >= updatedAt ? read.at : undefined;
  }

  /**
   * Saves the certificate of a verified message.
   *
   * @returns false if the mirror is paused, or the message contains no certificate to save
   */
  async receive(message: WebhookMessage): Promise<boolean> {
    if (this.#isPaused) {
      this.#missed += 1;
      return false;
    }
    return saveMessage(this.#store, message);
  }

  /** Reads the list when the page is opened, unless a catch-up has succeeded in this run of the demo shop. */
  async open(): Promise<void> {
    if (this.#lastCatchUp === null) await this.catchUp();
  }

  pause(): void {
    this.#isPaused = true;
    this.#onChange();
  }

  /** Ends the pause, and reads from the list the changes that the mirror missed. */
  async resume(): Promise<void> {
    this.#isPaused = false;
    // A catch-up in progress may have read its last page before the missed changes were made.
    await this.#catchingUp;
    await this.catchUp();
  }

  /** Reads all changes since the last catch-up, or joins a catch-up in progress. `state.problem` reports a failure. */
  catchUp(): Promise<void> {
    this.#catchingUp ??= this.#sync().finally(() => {
      this.#catchingUp = undefined;
      this.#onChange();
    });
    this.#onChange();
    return this.#catchingUp;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#catchingUp;
    this.#database.close();
  }

  async #sync(): Promise<void> {
    const startedAt = performance.now();
    const missedBefore = this.#missed;
    try {
      const { read } = await sync(this.#client, this.#notingStore(), { signal: this.#stopping.signal });
      this.#lastCatchUp = { read, tookMs: performance.now() - startedAt };
      this.#problem = null;
      this.#missed -= missedBefore;
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : "unknown error";
    }
  }

  /** Returns the mirror's store, extended to record which certificates a catch-up changes, and when. */
  #notingStore(): CertificateStore {
    const store = this.#store;
    const storedVersion = this.#database.prepare("SELECT updated_at AS version FROM certificate WHERE id = ?");
    return {
      loadPosition: () => store.loadPosition(),
      removeBefore: (round) => store.removeBefore(round),
      save: async (certificates, position) => {
        const changed = certificates.filter(({ id, updatedAt }) => storedVersion.get(id)?.version !== updatedAt);
        await store.save(certificates, position);
        const at = this.#now();
        for (const { id, updatedAt: version } of changed) this.#readFromList.set(id, { version, at });
        this.#onChange();
      },
    };
  }
}
