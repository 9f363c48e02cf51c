/**
 * Options of a read at one point in time, of majority-committed data. With read concern `majority` alone, a scan that runs
 * while a transaction commits can return the later of two changes without the earlier one.
 */
export const snapshotRead = { readConcern: { level: "snapshot" }, readPreference: "primary" } as const;
