import type { DatabaseTime } from "../../../services/registry/mongo/driver/database-time.ts";

// Earlier than the initial value of a new store's clock, 1970-01-01.
const past = new Date("1969-01-01T00:00:00Z");

/**
 * The database's time for the baselines: earlier than every store's clock, so that each transaction advances the clock
 * by only one millisecond per timestamp. The baselines therefore never wait, and still assign unique times.
 */
export const timeInThePast: DatabaseTime = () => past;
