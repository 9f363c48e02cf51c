import { expect, test } from "vitest";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

// Far below the default of 15 minutes.
const registry = await openTestRegistry({ overrides: { connectionAgeMs: 200 } });

test("calls go on without a failure while their connection reaches its maximum age and is replaced", async () => {
  const storeId = await createTestStore(registry);
  const endsAt = performance.now() + 1_500;
  let issued = 0;
  while (performance.now() < endsAt) {
    const { results } = await registry.issuing.issueCertificates({ items: [issueItem()] }, inStore(storeId));
    issued += results.length;
  }
  expect(await registry.database.collections.certificates.countDocuments({ store: storeId })).toBe(issued);
});
