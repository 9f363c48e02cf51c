import { expect, test } from "vitest";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { streamName } from "#shared/nats/event-stream.ts";
import type { GrpcFiles } from "../../deploy/local/stack/grpc-certificates.ts";
import { startNatsCluster } from "../harness/nats-cluster.ts";
import { allPermissions, documentedPermissions } from "../harness/nats-permissions.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { closing, issue, launchNotifier, openReceiver, outcomes, soon, times } from "../integration/notifier-rig.ts";

const perPhase = 20;

const variablesOf = (service: string, { cert, key, ca }: GrpcFiles) => ({
  [`${service}_NATS_CERT_FILE`]: cert,
  [`${service}_NATS_KEY_FILE`]: key,
  [`${service}_NATS_CA_FILE`]: ca,
});

test("neither loses nor duplicates an event when a three-server NATS cluster loses the stream leader temporarily and the next leader permanently", {
  timeout: 400_000,
}, async (context) => {
  const cluster = closing(context, await startNatsCluster({ ...documentedPermissions, observer: allPermissions }));
  const natsUrl = cluster.urls;
  const env = { REGISTRY_STREAM_REPLICAS: "3", ...variablesOf("REGISTRY", cluster.filesOf("registry")) };
  const registry = await openTestRegistry({ natsUrl, env }, context.onTestFinished);
  const receiver = await openReceiver({ context, registry });
  const place = { context, natsUrl, address: registry.address };
  const notifierEnv = variablesOf("NOTIFIER", cluster.filesOf("notifier"));
  const notifiers = await Promise.all(times(2, notifierEnv).map((variables) => launchNotifier(place, variables)));
  for (const notifier of notifiers) await notifier.reports("ok");

  const { cert: certFile, key: keyFile, ca: caFile } = cluster.filesOf("observer");
  const access = { servers: natsUrl.split(","), tls: { certFile, keyFile, caFile } };
  const observer = await connectNats(access, "test");
  context.onTestFinished(() => observer.close());
  const manager = await observer.jetstreamManager();
  const stream = () => manager.streams.info(streamName);
  const leader = async () => (await stream()).cluster?.leader ?? "none";
  const issued: string[] = [];
  /** Issues one certificate after another until {@link perPhase} more are issued and as many messages have arrived. */
  const issueAndDeliver = async () => {
    const target = issued.length + perPhase;
    await soon(async () => {
      issued.push(...(await issue({ registry }, receiver.storeId)));
      expect(issued.length).toBeGreaterThanOrEqual(target);
      expect(receiver.certificates().length).toBeGreaterThanOrEqual(target);
    });
  };
  await issueAndDeliver();
  expect((await stream()).config.num_replicas).toBe(3);

  const first = await soon(leader);
  await cluster.kill(first);
  await issueAndDeliver();
  const second = await soon(leader);
  expect(second).not.toBe(first);
  await cluster.start(first);
  await soon(async () => {
    const { cluster: state } = await stream();
    expect(state?.replicas?.map(({ current, offline = false }) => current && !offline)).toEqual([true, true]);
  });

  await cluster.kill(second);
  await issueAndDeliver();

  const { outbox } = registry.database.collections;
  await soon(async () => expect([await outbox.countDocuments(), (await stream()).state.messages]).toEqual([0, 0]));
  expect(receiver.certificates().toSorted()).toEqual(issued.toSorted());
  expect(await outcomes(registry.database.collections, receiver.storeId)).toEqual(times(issued.length, "delivered"));
  expect((await stream()).config.num_replicas).toBe(3);
  for (const notifier of notifiers) await notifier.reports("ok");
});
