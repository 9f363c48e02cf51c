import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { inStore } from "#shared/rpc/scope-metadata.ts";
import { eventually } from "../harness/eventually.ts";
import { issueItem } from "../harness/issue-items.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

// Both are far below their defaults of 15 minutes.
const registry = await openTestRegistry({ overrides: { connectionAgeMs: 500, connectionGraceMs: 1_000 } });

test("ends an open import after the maximum age and the grace period of its connection, and the client can continue the import on a new connection", async () => {
  const storeId = await createTestStore(registry);
  const batch = (position: bigint) => ({ idempotencyKey: "spring", position, items: [issueItem()] });
  const silence = Promise.withResolvers<void>();
  async function* oneBatchThenSilence() {
    yield batch(0n);
    await silence.promise;
  }
  let position = 0n;
  const send = async (batches: AsyncIterable<ReturnType<typeof batch>>) => {
    for await (const { nextPosition } of registry.issuing.importCertificates(batches, inStore(storeId)))
      position = nextPosition;
  };
  await expect(send(oneBatchThenSilence())).rejects.toMatchObject({ code: Code.Unavailable });
  silence.resolve();
  expect(position).toBe(1n);

  async function* rest() {
    yield batch(position);
  }
  await eventually(() => send(rest()), { withinMs: 10_000 });
  expect(position).toBe(2n);
});
