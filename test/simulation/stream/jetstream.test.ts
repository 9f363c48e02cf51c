import { AckPolicy, connect } from "nats";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { ensureStream, readStreamState, streamName } from "#shared/nats/event-stream.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { publishToJetStream } from "../../../services/registry/outbox/publish-to-jetstream.ts";
import { Sockets } from "../world/sockets.ts";
import { World } from "../world/world.ts";
import { SimulatedNats } from "./simulated-nats.ts";

// What a single server does not show; the rest is in test/stream-contract.

const entry = {
  eventId: "evt_1",
  storeId: "sto_1",
  certificateId: "crt_1",
  type: EventType.ISSUED,
  at: new Date(0),
  event: Buffer.from("event"),
};

async function inWorld(use: (nats: SimulatedNats, world: World) => Promise<void>): Promise<void> {
  const world = new World(1);
  const sockets = new Sockets(world);
  await world.run(async () => {
    using _sockets = sockets.replaceNode();
    await use(new SimulatedNats(world, sockets), world);
  });
}

test("copies of an event that arrive while a cluster stores it lead to one message", async () => {
  await inWorld(async (nats) => {
    const connection = await connect({ servers: nats.url });
    const manager = await connection.jetstreamManager();
    await ensureStream(manager, { replicas: 1 });
    nats.jetStream.storingMs = () => 3_000;
    const publish = publishToJetStream(connection, steadyClock);
    expect(await Promise.all([publish(entry), publish(entry)])).toEqual([undefined, undefined]);
    expect(await readStreamState(manager, { replicas: 1 })).toMatchObject({ messages: 1 });
    nats.jetStream.storingMs = () => 9_000;
    const [, copy] = await Promise.allSettled([
      publish({ ...entry, eventId: "evt_2" }),
      publish({ ...entry, eventId: "evt_2" }),
    ]);
    expect(copy).toEqual({ status: "fulfilled", value: "refused" });
  });
});

test("messages that are lost with their storage remain with the clients that hold them", async () => {
  await inWorld(async (nats) => {
    const { jetStream } = nats;
    const connection = await connect({ servers: nats.url });
    const manager = await connection.jetstreamManager();
    await ensureStream(manager, { replicas: 1 });
    const publish = publishToJetStream(connection, steadyClock);
    await publish({ ...entry, event: Buffer.from("held") });
    await manager.consumers.add(streamName, { durable_name: "one", ack_policy: AckPolicy.Explicit });
    const held = await (await connection.jetstream().consumers.get(streamName, "one")).next();
    await publish({ ...entry, eventId: "evt_2", event: Buffer.from("waiting") });
    const gone: string[] = [];
    jetStream.onGone = (data) => gone.push(data.toString());
    jetStream.loseStorage();
    expect(held?.string()).toBe("held");
    expect(jetStream.messagesOf(">").map(String)).toEqual(["held"]);
    expect(gone).toEqual(["waiting"]);
  });
});

test("while a cluster elects a leader, nothing is stored, and afterwards everything is as before", async () => {
  await inWorld(async (nats, world) => {
    const connection = await connect({ servers: nats.url });
    await ensureStream(await connection.jetstreamManager(), { replicas: 1 });
    const publish = publishToJetStream(connection, steadyClock);
    await publish(entry);
    nats.electLeader(2_000);
    await expect(publish({ ...entry, eventId: "evt_2" })).rejects.toThrow("503");
    await world.delay(2_000);
    await publish({ ...entry, eventId: "evt_2" });
    const state = await readStreamState(await connection.jetstreamManager(), { replicas: 1 });
    expect(state).toMatchObject({ messages: 2 });
  });
});
