import type { Doc } from "./bson-value.ts";

/** A document with its committed versions, the oldest first, and the change of an open transaction. */
export interface StoredDocument {
  /** The `value` of a deleted document is `undefined`. */
  versions: { readonly at: number; readonly value: Doc | undefined }[];
  /** The open transaction that has changed the document, and keeps other writers off. */
  writer: Transaction | undefined;
  pending: Doc | undefined;
}

/** A transaction with snapshot isolation. */
export class Transaction {
  /** The commit up to which the transaction sees changes. */
  readonly snapshot: number;
  /** When the server ends the transaction, in milliseconds since 1970. */
  readonly expiresAtMs: number;
  readonly written = new Set<StoredDocument>();
  readonly #ended = Promise.withResolvers<void>();
  state: "open" | "committed" | "aborted" = "open";
  /** The commit that the reply to `commitTransaction` waits for. */
  committedAt = 0;

  constructor(snapshot: number, expiresAtMs: number) {
    this.snapshot = snapshot;
    this.expiresAtMs = expiresAtMs;
  }

  /** Resolves once the transaction has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Locks a document, and changes it for this transaction only. */
  change(document: StoredDocument, value: Doc | undefined): void {
    document.writer = this;
    document.pending = value;
    this.written.add(document);
  }

  end(state: "committed" | "aborted"): void {
    this.state = state;
    this.#ended.resolve();
  }
}

/** The order of all commits of a replica set, and the part of it that a majority of the members has. */
export class Timeline {
  readonly #open = new Set<Transaction>();
  #latest = 0;
  #majority = 0;

  get latest(): number {
    return this.#latest;
  }

  get majority(): number {
    return this.#majority;
  }

  /** A majority has all commits up to this one. */
  replicate(at: number): void {
    this.#majority = Math.max(this.#majority, at);
  }

  begin(expiresAtMs: number): Transaction {
    const transaction = new Transaction(this.#latest, expiresAtMs);
    this.#open.add(transaction);
    return transaction;
  }

  /** Commits the change of one document. */
  append(document: StoredDocument, value: Doc | undefined): void {
    this.#latest += 1;
    this.#push(document, value);
  }

  commit(transaction: Transaction): void {
    if (transaction.written.size > 0) this.#latest += 1;
    for (const document of transaction.written) {
      this.#push(document, document.pending);
      document.writer = undefined;
      document.pending = undefined;
    }
    // A transaction that only reads waits until a majority has what it read.
    transaction.committedAt = transaction.written.size > 0 ? this.#latest : transaction.snapshot;
    this.#end(transaction, "committed");
  }

  abort(transaction: Transaction): void {
    if (transaction.state !== "open") return;
    for (const document of transaction.written) {
      document.writer = undefined;
      document.pending = undefined;
    }
    this.#end(transaction, "aborted");
  }

  /** Aborts the transactions that have lasted too long. */
  abortExpired(nowMs: number): void {
    for (const transaction of this.#open) if (transaction.expiresAtMs <= nowMs) this.abort(transaction);
  }

  /** Aborts all transactions, as a failover does. */
  abortAll(): void {
    for (const transaction of this.#open) this.abort(transaction);
  }

  /** Returns whether a deleted document is invisible to every transaction and every failover. */
  isForgotten({ versions: [version, ...others], writer }: StoredDocument): boolean {
    if (writer !== undefined || others.length > 0) return false;
    return version === undefined || (version.value === undefined && version.at <= this.#oldestSeen());
  }

  #end(transaction: Transaction, state: "committed" | "aborted"): void {
    this.#open.delete(transaction);
    transaction.end(state);
  }

  #push(document: StoredDocument, value: Doc | undefined): void {
    document.versions.push({ at: this.#latest, value });
    const oldest = this.#oldestSeen();
    const first = document.versions.findLastIndex(({ at }) => at <= oldest);
    if (first > 0) document.versions.splice(0, first);
  }

  #oldestSeen(): number {
    let oldest = this.#majority;
    for (const { snapshot } of this.#open) oldest = Math.min(oldest, snapshot);
    return oldest;
  }
}
