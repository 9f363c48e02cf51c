import { steadyClock } from "#shared/time/clock.ts";
import { type DatabaseCheck, failed, passed, skipped } from "./database-check.ts";
import { issueSamples } from "./sample-certificate.ts";

const refusedSeconds = 20;
const withinSeconds = 60;
const pauseMs = 500;

/** Checks that changes succeed again after an election. */
export const stepDownChecks: readonly DatabaseCheck[] = [
  {
    name: `changes succeed again within ${withinSeconds} s after the primary steps down`,
    remedy: "Use at least three members that can become primary, and check the network between them.",
    run: async (rig) => {
      if (!rig.options.stepDown) return skipped("only with --step-down");
      const storeId = await rig.createStore();
      await issueSamples(rig, storeId, 1);
      const startedAt = steadyClock.now();
      const seconds = () => (steadyClock.now() - startedAt) / 1_000;
      const stepDown = { replSetStepDown: refusedSeconds, secondaryCatchUpPeriodSecs: 10 };
      await rig.client.db("admin").command(stepDown);
      let issued = 1;
      while (seconds() < withinSeconds) {
        rig.signal.throwIfAborted();
        const isIssued = await issueSamples(rig, storeId, 1).then(
          () => true,
          () => false,
        );
        if (isIssued) {
          issued++;
          break;
        }
        await steadyClock.sleep(pauseMs);
      }
      const stored = await rig.collections.certificates.countDocuments({ store: storeId });
      const seen = `${seconds().toFixed(1)} s; ${issued} certificates confirmed and ${stored} stored`;
      return issued === 2 && stored >= issued ? passed(seen) : failed(seen);
    },
  },
];
