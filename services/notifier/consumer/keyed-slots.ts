/** Gives a slot back; calling it again does nothing. */
export type Release = () => void;

interface Key {
  taken: number;
  readonly waiting: ((release: Release | undefined) => void)[];
}

/** So many slots for each key. Who waits gets one in the order of asking; keys never wait for each other. */
export class KeyedSlots {
  readonly #slotsPerKey: number;
  readonly #keys = new Map<string, Key>();
  #isClosed = false;

  constructor(slotsPerKey: number) {
    this.#slotsPerKey = slotsPerKey;
  }

  /** Keys that have a slot taken. */
  get size(): number {
    return this.#keys.size;
  }

  /** A slot of the key if one is free, else undefined. None is free once the slots are closed. */
  tryAcquire(name: string): Release | undefined {
    const key = this.#keys.get(name) ?? { taken: 0, waiting: [] };
    if (this.#isClosed || key.taken >= this.#slotsPerKey) return undefined;
    this.#keys.set(name, key);
    key.taken++;
    return this.#releaseOf(name, key);
  }

  /** Waits for a slot of the key. Undefined once the slots are closed. */
  acquire(name: string): Promise<Release | undefined> {
    const release = this.tryAcquire(name);
    const key = this.#keys.get(name);
    if (release !== undefined || this.#isClosed || key === undefined) return Promise.resolve(release);
    return new Promise((resolve) => key.waiting.push(resolve));
  }

  /** Sends everyone away who waits; slots that are taken stay so until released. */
  close(): void {
    this.#isClosed = true;
    for (const key of this.#keys.values()) {
      for (const resolve of key.waiting.splice(0)) resolve(undefined);
    }
  }

  #releaseOf(name: string, key: Key): Release {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = key.waiting.shift();
      if (next !== undefined) next(this.#releaseOf(name, key));
      else if (--key.taken === 0) this.#keys.delete(name);
    };
  }
}
