/**
 * The part of the Reflect metadata API that @peculiar/x509's dependency injection calls when it is loaded. To be
 * imported before it; the package reflect-metadata does the same.
 */
interface MetadataApi {
  defineMetadata(key: unknown, value: unknown, target: object): void;
  getOwnMetadata(key: unknown, target: object): unknown;
  getMetadata(key: unknown, target: object): unknown;
  metadata(key: unknown, value: unknown): (target: object) => void;
}

const tables = new WeakMap<object, Map<unknown, unknown>>();

const api: MetadataApi = {
  defineMetadata: (key, value, target) => {
    const table = tables.get(target) ?? new Map<unknown, unknown>();
    tables.set(target, table.set(key, value));
  },
  getOwnMetadata: (key, target) => tables.get(target)?.get(key),
  getMetadata: (key, target) => {
    for (let owner: object | null = target; owner !== null; owner = Object.getPrototypeOf(owner)) {
      const table = tables.get(owner);
      if (table?.has(key)) return table.get(key);
    }
    return undefined;
  },
  metadata: (key, value) => (target) => api.defineMetadata(key, value, target),
};

if (!("getMetadata" in Reflect)) Object.assign(Reflect, api);
