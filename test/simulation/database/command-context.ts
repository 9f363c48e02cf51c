import type { Doc } from "./bson-value.ts";
import type { StoredCollection } from "./stored-collection.ts";
import type { Transaction } from "./timeline.ts";

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
}

/** Runs a command. @returns the fields of the reply, without `ok` @throws ServerError */
export type CommandHandler = (context: CommandContext, command: Doc) => Doc | Promise<Doc>;
