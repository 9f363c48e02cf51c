import { readFile, writeFile } from "node:fs/promises";
import { nanos } from "nats";
import { afterAll, expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { consumerName, partitionCount, streamName } from "#shared/nats/event-stream.ts";
import { taskVariables } from "../checks/webhooks/notifier-task.ts";
import { eventually } from "../harness/eventually.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { pathOf } from "../harness/receiver/behaviour.ts";
import { partOf, startStack } from "../harness/stack/start-stack.ts";
import { connectForTest } from "../harness/test-nats.ts";
import { createTestStore } from "../harness/test-stores.ts";

const claimLifeMs = 10_000;
// JetStream redelivers a frozen notifier's message after this time instead of after 30 s.
const redeliverAfterMs = 2_000;

const folder = await openTemporaryFolder("frozen-notifier", afterAll);

/**
 * Changes the time after which JetStream redelivers a message that was not acknowledged (`ack_wait`). The change also
 * applies to messages that were delivered before it. A notifier that starts restores the usual time.
 */
async function redeliverAfter(natsUrl: string, ms: number): Promise<void> {
  const connection = await connectForTest(natsUrl);
  try {
    const { consumers } = await connection.jetstreamManager();
    for (let partition = 0; partition < partitionCount; partition++)
      await consumers.update(streamName, consumerName(partition), { ack_wait: nanos(ms) });
  } finally {
    await connection.close();
  }
}

/** Starts a stack whose first notifier freezes itself at a step of its first delivery and whose second is stopped. */
async function startFreezingStack(step: "after_claim" | "connecting") {
  const logFile = `${folder}/${step}`;
  await writeFile(logFile, "");
  const kill = { step, count: 1, logFile, signal: "SIGSTOP" } as const;
  const targetsFile = `${folder}/unused.json`;
  const stack = await startStack({
    name: `frozen-${step}`,
    registries: [
      {
        script: "test/checks/webhooks/short-claims-registry.ts",
        env: { CHECK_CLAIM_LIFE_MS: String(claimLifeMs) },
      },
    ],
    notifiers: [
      { script: "test/checks/webhooks/notifier.ts", env: taskVariables({ handling: "usual", targetsFile, kill }) },
      {},
    ],
    receiverSeed: 1,
  });
  const { receiver, notifiers, supervisor } = stack;
  if (receiver === undefined) throw new Error("the stack has no receiver");
  const [freezing, other] = [partOf(notifiers, 0), partOf(notifiers, 1)];
  await other.stop();
  return {
    stack,
    other,
    receiver,
    /** Resumes the frozen notifier. */
    continueFrozen: () => {
      if (freezing.pid === null) throw new Error("the frozen notifier has exited");
      process.kill(freezing.pid, "SIGCONT");
    },
    /** Returns whether the first notifier has frozen itself. */
    hasFrozen: async () => (await readFile(logFile, "utf8")) !== "",
    /** Returns the first notifier's log lines about attempts. */
    attempts: async () => {
      const log = await readFile(supervisor.path("notifier-1.log"), "utf8");
      return log.split("\n").filter((line) => line.includes('"webhook attempt"'));
    },
  };
}

test.concurrent.each(["after_claim", "connecting"] as const)(
  "a notifier that was frozen at %s until its claim expired does not send the claimed message when it resumes",
  { timeout: 180_000 },
  async (step) => {
    const { stack, other, receiver, continueFrozen, hasFrozen, attempts } = await startFreezingStack(step);
    try {
      const registry = partOf(stack.registries);
      const storeId = await createTestStore(registry);
      await registry.admin.setWebhook({ url: `${receiver.url}${pathOf("answers", step)}` }, inStore(storeId));
      const certificateId = await issueOne(registry, storeId);
      await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.REFUND }, inStore(storeId));
      await eventually(async () => expect(await hasFrozen()).toBe(true));

      await other.start();
      await redeliverAfter(stack.nats.url, redeliverAfterMs);
      const outcomes = async () => {
        const found = await stack.collections.deliveries.find({ certificate: certificateId }).toArray();
        return found.sort((a, b) => a.type - b.type).map(({ outcome }) => outcome?.kind);
      };
      const expected = ["interrupted", "delivered"];
      await eventually(async () => expect(await outcomes()).toEqual(expected), { withinMs: 90_000, everyMs: 100 });
      continueFrozen();
      await eventually(async () => expect(await attempts()).toHaveLength(1));

      expect(await attempts()).toEqual([expect.stringContaining('"outcome":"interrupted"')]);
      const received = (await receiver.requests()).map(({ body }) => JSON.parse(body.toString()).event);
      expect(received).toEqual(["revoked"]);
      expect(await outcomes()).toEqual(expected);
    } finally {
      // A frozen process would not react when the stack stops it.
      continueFrozen();
      await stack.close();
    }
  },
);
