import { collectGarbage } from "../../harness/collect-garbage.ts";

// Kept before any world replaces it.
const { setImmediate: endTurn } = globalThis;

// Node loads what implements `fetch` on first use: here, so that its tables belong to no replica.
void globalThis.Headers;

/** A process that runs production code. */
interface Replica {
  readonly name: string;
  readonly isDead: boolean;
}

interface Collection {
  readonly size: number;
}

/** A map or a set that lives, with more entries than a bound. */
interface LargeCollection {
  readonly process: Replica;
  readonly size: number;
  /** The beginning of its content. */
  readonly keys: string;
}

/** The maps and sets that the code of a world has created in replicas. Arrays are created without a constructor. */
export class LiveCollections {
  readonly #created: { readonly process: Replica; readonly collection: WeakRef<Collection>; startSize: number }[] = [];

  /** Replaces the constructors of maps and sets, until disposal. @param replica returns the replica that runs now */
  replaceConstructors(replica: () => Replica | undefined): Disposable {
    const { Map: realMap, Set: realSet } = globalThis;
    const note = <T extends Collection>(collection: T): T => {
      const process = replica();
      if (process !== undefined) this.#created.push({ process, collection: new WeakRef(collection), startSize: 0 });
      return collection;
    };
    const observed = <Constructor extends MapConstructor | SetConstructor>(original: Constructor): Constructor => {
      const replacement: Constructor = new Proxy(original, {
        // A constructor that is a proxy, in place of its target, makes V8 construct slowly.
        construct: (target, args, newTarget) =>
          note<Collection>(Reflect.construct(target, args, newTarget === replacement ? target : newTarget)),
      });
      return replacement;
    };
    globalThis.Map = observed(realMap);
    globalThis.Set = observed(realSet);
    return {
      [Symbol.dispose]: () => {
        globalThis.Map = realMap;
        globalThis.Set = realSet;
      },
    };
  }

  /** Leaves out what a replica holds once it has started, such as a map of its methods. */
  noteStarted(replica: Replica): void {
    for (const created of this.#created)
      if (created.process === replica) created.startSize = created.collection.deref()?.size ?? 0;
  }

  /**
   * Finds those that have grown by more entries than a bound, in replicas that live. Call it outside of the world.
   */
  async findLarge(bound: number): Promise<readonly LargeCollection[]> {
    if (this.#large(bound).length === 0) return [];
    // What is garbage no longer counts. A turn ends the references that the first look has created.
    await new Promise((resolve) => endTurn(resolve));
    collectGarbage();
    return this.#large(bound);
  }

  #large(bound: number): LargeCollection[] {
    return this.#created.flatMap(({ process, collection, startSize }) => {
      const found = process.isDead ? undefined : collection.deref();
      if (found === undefined || found.size - startSize <= bound) return [];
      const keys = found instanceof Map || found instanceof Set ? Array.from(found.keys()).slice(0, 3) : [];
      return { process, size: found.size, keys: keys.map(describe).join(", ") };
    });
  }
}

function describe(key: unknown): string {
  return typeof key === "object" && key !== null ? key.constructor.name : String(key);
}
