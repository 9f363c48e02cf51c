import type { Document } from "mongodb";

/**
 * Collections of which a transaction changes several documents, also by one statement. Outside of transactions, their
 * documents must be written one by one (services/registry/mongo/driver/write-each.ts).
 */
const changedTwice: ReadonlySet<string> = new Set([
  "certificates",
  "deliveries",
  "editionSeries",
  "logos",
  "products",
  "storefrontMessages",
  "storefrontOrders",
  "storefrontProducts",
  "stores",
  "triggerDeliveries",
]);

/**
 * Finds writes that may block transactions forever on a stand-in for MongoDB: those of many documents, outside of a
 * transaction, in a collection in which transactions change several documents.
 */
export class BlockingWrites {
  readonly #found = new Set<string>();
  /** The collections that each transaction has changed so far. */
  readonly #changed = new Map<string, Set<string>>();

  note(commandName: string, command: Document): void {
    const { autocommit, lsid, txnNumber } = command;
    const writes = writesOf(commandName, command);
    if (autocommit !== false) {
      for (const { collection, kind, isMany } of writes)
        if (isMany && changedTwice.has(collection)) this.#found.add(`${kind} of many documents of ${collection}`);
      return;
    }
    const transaction = `${lsid.id.toString("hex")}/${txnNumber}`;
    const changed = this.#changed.get(transaction) ?? new Set();
    if (commandName === "commitTransaction" || commandName === "abortTransaction") this.#changed.delete(transaction);
    else if (writes.length > 0) this.#changed.set(transaction, changed);
    for (const { collection, kind } of writes) {
      if (changed.has(collection) && !changedTwice.has(collection))
        this.#found.add(`a transaction changes several documents of ${collection}, which is not in the list`);
      // An inserted document blocks no other write.
      if (kind !== "insert") changed.add(collection);
    }
  }

  take(): string[] {
    const taken = [...this.#found];
    this.#found.clear();
    return taken;
  }
}

/** One statement of a command that writes. */
interface Write {
  readonly collection: string;
  readonly kind: "insert" | "update" | "delete";
  /** Whether the statement writes all documents that match. */
  readonly isMany: boolean;
}

/** Returns the statements of a command that writes, in order. */
function writesOf(commandName: string, command: Document): readonly Write[] {
  const collection = String(command[commandName]);
  switch (commandName) {
    case "insert":
      return [{ collection, kind: "insert", isMany: false }];
    case "findAndModify":
      return [{ collection, kind: "update", isMany: false }];
    case "update":
      return command.updates.map(({ multi = false }: Document) => ({ collection, kind: "update", isMany: multi }));
    case "delete":
      return command.deletes.map(({ limit }: Document) => ({ collection, kind: "delete", isMany: limit === 0 }));
    case "bulkWrite":
      return command.ops.map(({ insert, update, delete: deleted, multi = false }: Document): Write => {
        const { ns } = command.nsInfo[insert ?? update ?? deleted];
        const kind = insert === undefined ? (update === undefined ? "delete" : "update") : "insert";
        return { collection: ns.slice(ns.indexOf(".") + 1), kind, isMany: multi };
      });
    default:
      return [];
  }
}
