import { collectGarbage } from "../../harness/collect-garbage.ts";
import { inPlaceOf } from "./in-place-of.ts";

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

/** A replica that has created a collection, in a world. */
interface Owner {
  readonly process: Replica;
  readonly collections: LiveCollections;
}

// Most collections are small and soon garbage. A weak reference would keep each of them until a full collection.
const smallMax = 8;

/** Notes a collection once it is not small. @returns its owner until then */
function ownerUntilNoted(collection: Collection, owner: Owner | undefined): Owner | undefined {
  if (owner === undefined || collection.size <= smallMax) return owner;
  owner.collections.note(collection, owner.process);
  return undefined;
}

class ObservedMap<K, V> extends Map<K, V> {
  #owner: Owner | undefined;

  constructor(owner: Owner, entries?: Iterable<readonly [K, V]> | null) {
    // With entries, the constructor of Map would call `set` before the field exists.
    super();
    for (const [key, value] of entries ?? []) super.set(key, value);
    this.#owner = ownerUntilNoted(this, owner);
  }

  override set(key: K, value: V): this {
    super.set(key, value);
    this.#owner = ownerUntilNoted(this, this.#owner);
    return this;
  }
}

class ObservedSet<T> extends Set<T> {
  #owner: Owner | undefined;

  constructor(owner: Owner, values?: Iterable<T> | null) {
    super();
    for (const value of values ?? []) super.add(value);
    this.#owner = ownerUntilNoted(this, owner);
  }

  override add(value: T): this {
    super.add(value);
    this.#owner = ownerUntilNoted(this, this.#owner);
    return this;
  }
}

/**
 * The maps and sets of more than a few entries that the code of a world has created in replicas. Arrays are created
 * without a constructor.
 */
export class LiveCollections {
  readonly #noted: { readonly process: Replica; readonly collection: WeakRef<Collection>; startSize: number }[] = [];

  /** Replaces the constructors of maps and sets, until disposal. @param replica returns the replica that runs now */
  replaceConstructors(replica: () => Replica | undefined): Disposable {
    const { Map: realMap, Set: realSet } = globalThis;
    const observed = (original: MapConstructor | SetConstructor, inReplica: typeof ObservedMap | typeof ObservedSet) =>
      inPlaceOf(original, (args, target): object => {
        const process = replica();
        if (process !== undefined && target === original)
          return Reflect.construct(inReplica, [{ process, collections: this } satisfies Owner, args[0]]);
        const collection: Collection = Reflect.construct(original, args, target);
        if (process !== undefined) this.note(collection, process);
        return collection;
      });
    Reflect.set(globalThis, "Map", observed(realMap, ObservedMap));
    Reflect.set(globalThis, "Set", observed(realSet, ObservedSet));
    return {
      [Symbol.dispose]: () => {
        globalThis.Map = realMap;
        globalThis.Set = realSet;
      },
    };
  }

  /** Observes a collection of a replica from now on. */
  note(collection: Collection, process: Replica): void {
    this.#noted.push({ process, collection: new WeakRef(collection), startSize: 0 });
  }

  /** Leaves out what a replica holds once it has started, such as a map of its methods. */
  noteStarted(replica: Replica): void {
    for (const noted of this.#noted)
      if (noted.process === replica) noted.startSize = noted.collection.deref()?.size ?? 0;
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
    return this.#noted.flatMap(({ process, collection, startSize }) => {
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
