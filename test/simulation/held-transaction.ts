import { advanceClock } from "../../services/registry/mongo/certificates/store-clock.ts";

/** Returns an `advance` for a registry, which holds its transaction from the start of its snapshot until released. */
export function heldTransaction() {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const advance: typeof advanceClock = async (...args) => {
    // From here on, the transaction reads its snapshot.
    const store = await advanceClock(...args);
    begun.resolve();
    await released.promise;
    return store;
  };
  return { advance, begun: begun.promise, release: () => released.resolve() };
}
