import { Binary } from "mongodb";
import { steadyClock } from "#shared/time/clock.ts";
import { compoundKey } from "../../../services/registry/mongo/documents/compound-key.ts";
import { type DatabaseCheck, failed, passed } from "./database-check.ts";

// MongoDB deletes expired documents once a minute by default (ttlMonitorSleepSecs).
const withinSeconds = 150;
const pauseMs = 1_000;

/** Checks that expired personal data are deleted. Needs the registry's indexes. */
export const expiryChecks: readonly DatabaseCheck[] = [
  {
    name: `an uploaded file is deleted within ${withinSeconds} s once it has expired, and not before`,
    remedy: "Switch the deletion of expired documents on (ttlMonitorEnabled): without it, personal data are kept.",
    run: async ({ collections: { importParts }, signal }) => {
      const part = (id: string, createdAt: Date) => ({
        _id: compoundKey(id, 0),
        import: id,
        store: "sto_expiry",
        createdAt,
        content: new Binary(),
      });
      await importParts.insertMany([part("imp_expired", new Date(0)), part("imp_current", new Date())]);
      const startedAt = steadyClock.now();
      const seconds = () => Math.round((steadyClock.now() - startedAt) / 1_000);
      for (;;) {
        signal.throwIfAborted();
        const left = await importParts.distinct("import", { store: "sto_expiry" });
        const seen = `${left.join(" and ")} left after ${seconds()} s`;
        if (left.length === 1 && left[0] === "imp_current") return passed(seen);
        if (!left.includes("imp_current") || seconds() > withinSeconds) return failed(seen);
        await steadyClock.sleep(pauseMs, signal);
      }
    },
  },
];
