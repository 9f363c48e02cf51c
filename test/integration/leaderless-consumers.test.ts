import { expect, test } from "vitest";
import { partitionCount, streamName } from "#shared/nats/event-stream.ts";
import { startConfiguredNats } from "../harness/configured-nats.ts";
import { connectForTest } from "../harness/test-nats.ts";
import { closing, issue, openNotifierRig, openReceiver, soon, startNotifier } from "./notifier-rig.ts";

// Redirects the notifier's pull requests to a subject without subscribers. NATS then responds with 503 (no responders),
// as it does while a consumer has no leader.
const withoutLeaders = `mappings { "$JS.API.CONSUMER.MSG.NEXT.${streamName}.*": "elsewhere.$1" }`;
// A reload without any mapping would keep the previous one.
const withLeaders = "mappings { unused: unused }";

test("the notifier does not recreate its consumers while they have no leader, and delivers once they have a leader", async (context) => {
  const nats = closing(context, await startConfiguredNats(withLeaders));
  const natsUrl = `nats://${nats.address}`;
  const observer = await soon(() => connectForTest(natsUrl));
  context.onTestFinished(() => observer.close());
  const rig = await openNotifierRig(context, natsUrl);
  const receiver = await openReceiver(rig);
  const notifier = await startNotifier(rig);
  const called = { INFO: new Set<string>(), CREATE: new Set<string>() };
  for (const call of ["INFO", "CREATE"] as const)
    observer.subscribe(`$JS.API.CONSUMER.${call}.>`, {
      callback: (_error, { subject }) => void called[call].add(subject),
    });
  await observer.flush();

  await nats.configure(withoutLeaders);
  // No pull request that was sent before is pending for any of the consumers.
  await soon(() => expect(called.INFO.size).toBe(partitionCount));
  const [certificateId] = await issue(rig, receiver.storeId);
  await notifier.reports("ok");
  expect(called.CREATE.size).toBe(0);
  expect(receiver.requests).toEqual([]);

  await nats.configure(withLeaders);
  await soon(() => expect(receiver.certificates()).toEqual([certificateId]));
});
