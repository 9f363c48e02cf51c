import { create, toBinary } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { type NatsConnection, nanos } from "nats";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { automationStreamName } from "#shared/nats/automation-stream.ts";
import { ensureStream, streamName } from "#shared/nats/event-stream.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { PassingClock } from "#shared/time/passing-clock-fixture.ts";
import type { AutomationEntry } from "../../services/registry/automation/automation-outbox.ts";
import { AutomationRelay } from "../../services/registry/automation/automation-relay.ts";
import { publishAutomationEvent } from "../../services/registry/automation/publish-automation-event.ts";
import { taskLeaseMs } from "../../services/registry/leases/leased-queue.ts";
import { publishToJetStream } from "../../services/registry/outbox/publish-to-jetstream.ts";
import { eventually } from "../harness/eventually.ts";
import { issueMany } from "../harness/issue-items.ts";
import { openRelayTestRig } from "../harness/relay-test-rig.ts";
import { connectForTest, startTestNats } from "../harness/test-nats.ts";
import { createTestStore } from "../harness/test-stores.ts";
import { closing } from "./notifier-rig.ts";

const entry = (number: number) => ({
  eventId: `evt_${number}`,
  storeId: "sto_1",
  certificateId: `crt_${number}`,
  type: EventType.ISSUED,
  at: new Date(),
  event: Buffer.from("event"),
});

/** Shortens the stream's duplicate window, and waits until it has passed for every message published so far. */
async function passDuplicateWindow(connection: NatsConnection): Promise<void> {
  const manager = await connection.jetstreamManager();
  let probes = 0;
  const probe = async () => {
    // Repeated for each probe, because a relay that restarts on a busy machine restores the usual window; and changed
    // each time, because the server applies a window only when it changes, and then sometimes too early, when the
    // previous one still counts.
    await manager.streams.update(streamName, { duplicate_window: nanos(100 + (probes++ % 2)) });
    return connection.jetstream().publish("certificates.probe", "", { msgID: "probe" });
  };
  await probe();
  await eventually(async () => expect((await probe()).duplicate).toBe(false));
  await manager.streams.purge(streamName, { filter: "certificates.probe" });
}

const pending = (err_code: number) => ({ error: { code: 400, err_code, description: "pending" } });

/**
 * Answers each publish to a subject. Instead of a stream, because only a stream with several members reports a copy
 * that is still being stored, and only for an instant.
 */
function answerAsStream(connection: NatsConnection, subject: string, answer: (id: string) => object): void {
  connection.subscribe(subject, {
    callback: (_error, message) => {
      message.respond(JSON.stringify(answer(message.headers?.get("Nats-Msg-Id") ?? "")));
    },
  });
}

describe.concurrent("the event stream", () => {
  test("stores an event once while no notifier runs, although the relay republishes it after the duplicate window", async (context) => {
    const rig = await openRelayTestRig(context);
    let registry = await rig.startRegistry();
    const storeId = await createTestStore(registry);
    await issueMany(registry, storeId, 20);
    await rig.published(20);
    const connection = closing(context, await connectForTest(rig.nats.url));
    const manager = await connection.jetstreamManager();
    let publishes = 0;
    connection.subscribe("certificates.*.*.>", { callback: () => void publishes++ });
    await connection.flush();

    for (let round = 1; round <= 3; round++) {
      // When the relay starts, it publishes all unsettled events and restores the usual duplicate window.
      await passDuplicateWindow(connection);
      await rig.stopRegistry(registry);
      registry = await rig.startRegistry();
      await eventually(() => expect(publishes).toBeGreaterThanOrEqual(20 * round));
    }
    // Shows that the relay treats refused copies as stored and continues.
    await issueMany(registry, storeId, 1);
    await eventually(async () =>
      expect((await manager.streams.info(streamName)).state).toMatchObject({ messages: 21, num_subjects: 21 }),
    );
  });

  test("accepts an event again only after its first copy has been removed, and refuses another event while the stream is full", async (context) => {
    const nats = await startTestNats(context.onTestFinished);
    const connection = closing(context, await connectForTest(nats.url));
    const manager = await connection.jetstreamManager();
    await ensureStream(manager, { replicas: 1 });
    const publish = publishToJetStream(connection, steadyClock);
    const count = async () => (await manager.streams.info(streamName)).state.messages;
    await publish(entry(1));
    await publish(entry(1));
    await passDuplicateWindow(connection);
    await publish(entry(1));
    expect(await count()).toBe(1);
    await manager.streams.update(streamName, { max_msgs: 1 });
    await expect(publish(entry(2))).rejects.toMatchObject({ api_error: { err_code: 10_077 } });
    await manager.streams.purge(streamName);
    await publish(entry(1));
    expect(await count()).toBe(1);
  });

  test("waits for an earlier copy of an event that is still being stored, and tries the event again later if that lasts", async (context) => {
    const nats = await startTestNats(context.onTestFinished);
    const connection = closing(context, await connectForTest(nats.url));
    const stored = { stream: streamName, seq: 1, duplicate: true };
    const replies = new Map([
      ["evt_1", [pending(10_164), pending(10_164), stored]],
      ["evt_2", [pending(10_158), stored]],
    ]);
    const published: string[] = [];
    answerAsStream(connection, "certificates.>", (eventId) => {
      published.push(eventId);
      return replies.get(eventId)?.shift() ?? pending(10_164);
    });
    let nowMs = 0;
    const clock: Clock = {
      now: () => nowMs,
      sleep: async (durationMs) => {
        nowMs += durationMs;
      },
    };
    const publish = publishToJetStream(connection, clock);
    expect(await publish(entry(1))).toBeUndefined();
    expect(await publish(entry(2))).toBeUndefined();
    expect(published).toEqual(["evt_1", "evt_1", "evt_1", "evt_2", "evt_2"]);
    const startedAt = nowMs;
    expect(await publish(entry(3))).toBe("refused");
    expect(nowMs - startedAt).toBeGreaterThan(4_000);
    expect(nowMs - startedAt).toBeLessThan(6_000);
  });
});

test("while an earlier copy of an automation event is still being stored, publishes other stores' events, and then its store's events in order", async (context) => {
  const nats = await startTestNats(context.onTestFinished);
  const connection = closing(context, await connectForTest(nats.url));
  let isPending = true;
  const stored: string[] = [];
  let attempts = 0;
  answerAsStream(connection, "automation.>", (eventId) => {
    if (eventId === "evt_1") attempts += 1;
    if (eventId === "evt_1" && isPending) return pending(10_158);
    stored.push(eventId);
    return { stream: automationStreamName, seq: stored.length };
  });
  const entries = new Map<string, AutomationEntry>();
  const content = create(CertificateEventSchema, { occurredAt: timestampNow(), certificateJson: Buffer.from("{}") });
  const event = toBinary(CertificateEventSchema, content);
  const put = (eventId: string, storeId: string) => entries.set(eventId, { eventId, storeId, name: "issued", event });
  put("evt_1", "sto_1");
  put("evt_2", "sto_1");
  put("evt_3", "sto_2");
  const log: string[] = [];
  const relay = new AutomationRelay({
    outbox: {
      isHeld: async () => false,
      read: async () => [...entries.values()],
      remove: async (eventIds) => {
        for (const eventId of eventIds) entries.delete(eventId);
      },
      oldestAt: async () => undefined,
    },
    lease: {
      lifeMs: taskLeaseMs,
      claim: async () => ({ id: "relay", token: "1" }),
      renew: async () => true,
      release: async () => log.push("release") > 0,
    },
    prepare: async () => void log.push("prepare"),
    publish: publishAutomationEvent(connection, { logger: pino({ level: "silent" }), onPublished: () => undefined }),
    clock: new PassingClock(),
    logger: pino({ level: "silent" }),
  });
  context.onTestFinished(() => relay.stop());
  relay.start();
  await eventually(() => expect(attempts).toBeGreaterThan(20));
  put("evt_4", "sto_2");
  await eventually(() => expect(stored).toEqual(["evt_3", "evt_4"]));
  isPending = false;
  await eventually(() => expect(stored).toEqual(["evt_3", "evt_4", "evt_1", "evt_2"]));
  await eventually(() => expect(entries.size).toBe(0));
  // The replica has kept its lease.
  expect(log).toEqual(["prepare"]);
});
