import { expect, onTestFinished, test } from "vitest";
import { keepsSnapshots } from "../../services/registry/mongo/opening/page-reads.ts";
import { openProxiedRegistry } from "../harness/proxied-registry.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const claimCount = 25;

const database = await openTestDatabase();
const isKept = await keepsSnapshots(database.client);

test.each([["auto", isKept], isKept ? ["transaction", false] : ["snapshot", true]] as const)(
  "with REGISTRY_PAGE_READS=%s, a claim reads the new events for triggers at one point in time",
  async (reads, isSnapshot) => {
    const { triggerDeliveries, proxy } = await openProxiedRegistry(
      { env: { REGISTRY_PAGE_READS: reads } },
      onTestFinished,
    );
    const before = proxy.count("commitTransaction");
    for (let count = 0; count < claimCount; count++)
      await triggerDeliveries.claimTriggerDeliveries({ notifierId: "test", limit: 1 });
    expect(proxy.count("commitTransaction") - before >= claimCount).toBe(!isSnapshot);
  },
);
