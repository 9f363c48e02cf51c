import type { Doc } from "./bson-value.ts";
import type { StoredCollection } from "./stored-collection.ts";
import type { Transaction } from "./timeline.ts";

/** The result of a statement: the number of documents that matched, and of those that changed. */
export interface Written {
  readonly n: number;
  readonly nModified?: number;
  readonly upserted?: unknown;
}

/** A statement of a retryable write that has been executed, with the commit after it. */
export interface ExecutedStatement {
  readonly written: Written;
  readonly at: number;
}

/** What a command can use of the server. */
export interface CommandContext {
  /** The server's time when the command arrived. */
  readonly now: Date;
  readonly transaction: Transaction | undefined;
  readonly database: string;
  /** The collections of the database, by name. */
  readonly collections: Map<string, StoredCollection>;
  /** Returns a collection, which it creates if necessary. */
  readonly collection: (name: string) => StoredCollection;
  /** Open cursors, with the documents that `getMore` returns next. */
  readonly cursors: Map<bigint, readonly Doc[]>;
  /** Returns the id of a new cursor. */
  readonly newCursor: () => bigint;
  /** The commit up to which a read with this read concern sees changes; `undefined` for all commits. */
  readonly readAt: (level: string | undefined) => number | undefined;
  /**
   * Tries to write until no other transaction locks the document.
   *
   * @throws ServerError when the command's time is over, or another client has ended its session
   */
  readonly attempt: <T>(write: () => T) => Promise<T>;
  /** Returns the latest commit after the command's latest write. */
  readonly writtenAt: () => number;
  /** Of a retryable write: the statements that it has executed, which a repetition does not execute again, by index. */
  readonly executed: Map<number, ExecutedStatement> | undefined;
  /**
   * Lets other commands run between two documents or statements, except in a transaction.
   *
   * @returns `undefined` if this moment does not last: most do not, and a read has many
   * @throws ServerError as `attempt`
   */
  readonly pause: () => Promise<void> | undefined;
}

/** Runs a command. @returns the fields of the reply, without `ok` @throws ServerError */
export type CommandHandler = (context: CommandContext, command: Doc) => Doc | Promise<Doc>;
