import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { connectNats } from "#shared/nats/connect-nats.ts";
import { streamName } from "#shared/nats/event-stream.ts";
import { createNatsOperator, createUserKey, seedOf } from "#shared/nats/nats-credentials-fixture.ts";
import { CertificateAuthority } from "#shared/tls/certificate-authority.ts";
import { startConfiguredNats } from "../harness/configured-nats.ts";
import { eventually } from "../harness/eventually.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { issueOne } from "../harness/issue-items.ts";
import { startLocalNotifier } from "../harness/local-notifier.ts";
import { metricValues } from "../harness/metric-values.ts";
import { allPermissions } from "../harness/nats-permissions.ts";
import { startNatsWithUsers } from "../harness/nats-with-auth.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

async function folderOf({ onTestFinished }: TestContext) {
  const folder = await openTemporaryFolder("nats-credentials", onTestFinished);
  return async (name: string, content: string) => {
    const file = join(folder, name);
    await writeFile(file, content, { mode: 0o600 });
    return file;
  };
}

/** Starts a NATS server, a registry and a notifier, and waits until an event has passed through all three. */
async function deliverOneEvent(
  { onTestFinished }: TestContext,
  settings: string,
  env: Readonly<Record<"registry" | "notifier", Readonly<Record<string, string>>>>,
) {
  const nats = await startConfiguredNats(settings);
  onTestFinished(nats.close);
  const natsUrl = `nats://${nats.address.replace("127.0.0.1", "localhost")}`;
  const prefixed = (prefix: string, variables: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(variables).map(([name, value]) => [`${prefix}_NATS_${name}`, value]));
  const registry = await openTestRegistry({ natsUrl, env: prefixed("REGISTRY", env.registry) }, onTestFinished);
  const { address } = registry;
  const notifier = await startLocalNotifier({ address, natsUrl }, prefixed("NOTIFIER", env.notifier));
  onTestFinished(notifier.stop);
  await issueOne(registry, await createTestStore(registry));
  const { outbox } = registry.database.collections;
  await eventually(async () => expect(await outbox.countDocuments()).toBe(0));
  return { natsUrl };
}

test("passes events from the registry to the notifier when both authenticate with NKeys", async (context) => {
  const file = await folderOf(context);
  const [registry, notifier] = [createUserKey(), createUserKey()];
  const users = [registry, notifier].map((key) => `{ nkey: ${key.getPublicKey()} }`);
  await deliverOneEvent(context, `authorization { users: [${users.join(", ")}] }`, {
    registry: { NKEY_FILE: await file("registry.nk", seedOf(registry)) },
    notifier: { NKEY_FILE: await file("notifier.nk", seedOf(notifier)) },
  });
});

test("passes events from the registry to the notifier when both authenticate with credentials files", async (context) => {
  const file = await folderOf(context);
  const operator = createNatsOperator();
  await deliverOneEvent(context, operator.settings, {
    registry: { CREDENTIALS_FILE: await file("registry.creds", operator.createCredentials()) },
    notifier: { CREDENTIALS_FILE: await file("notifier.creds", operator.createCredentials()) },
  });
});

test("passes events from the registry to the notifier when both authenticate with client certificates, and refuses a server whose certificate was not signed by a configured authority", async (context) => {
  const file = await folderOf(context);
  const authority = await CertificateAuthority.create();
  const CA_FILE = await file("ca.pem", authority.caPem);
  const issueFiles = async (commonName: string, usage: "server" | "client") => {
    const alternativeNames = [{ type: "dns" as const, value: usage === "server" ? "localhost" : commonName }];
    const { certPem, keyPem } = await authority.issue({ commonName, alternativeNames, usages: [usage] });
    const CERT_FILE = await file(`${commonName}.pem`, certPem);
    return { CA_FILE, CERT_FILE, KEY_FILE: await file(`${commonName}.key`, keyPem) };
  };
  const server = await issueFiles("server", "server");
  const paths = `cert_file: "${server.CERT_FILE}", key_file: "${server.KEY_FILE}", ca_file: "${CA_FILE}"`;
  const { natsUrl } = await deliverOneEvent(context, `tls { ${paths}, verify: true }`, {
    registry: await issueFiles("registry", "client"),
    notifier: await issueFiles("notifier", "client"),
  });
  const { CERT_FILE: certFile, KEY_FILE: keyFile } = await issueFiles("other", "client");
  const caFile = await file("other-ca.pem", (await CertificateAuthority.create()).caPem);
  const attempt = connectNats({ servers: [natsUrl], tls: { certFile, keyFile, caFile } }, "test");
  await expect(attempt).rejects.toMatchObject({ cause: { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" } });
});

test("refuses a server without TLS when certificate authorities are configured", async (context) => {
  const file = await folderOf(context);
  const nats = await startConfiguredNats("");
  context.onTestFinished(nats.close);
  const caFile = await file("ca.pem", (await CertificateAuthority.create()).caPem);
  const servers = [`nats://${nats.address}`];
  await eventually(async () => (await connectNats({ servers }, "test")).close());
  await expect(connectNats({ servers, tls: { caFile } }, "test")).rejects.toThrow("cannot connect to NATS");
});

const userWith = (password: string) => [{ user: "registry", password, ...allPermissions }];

test("resumes publishing after NATS has temporarily refused the registry's login", async ({ onTestFinished }) => {
  // Contains characters that must be escaped in a URL.
  const password = `a/b@c:${randomBytes(8).toString("hex")}`;
  const nats = await startNatsWithUsers(userWith(password));
  onTestFinished(nats.close);
  const url = `nats://registry:${encodeURIComponent(password)}@${nats.address}`;
  const registry = await openTestRegistry({ natsUrl: url }, onTestFinished);
  const published = async () => {
    const connection = await connectNats({ servers: [url] }, "test");
    try {
      const manager = await connection.jetstreamManager();
      return (await manager.streams.info(streamName)).state.messages;
    } finally {
      await connection.close();
    }
  };
  const storeId = await createTestStore(registry);
  await issueOne(registry, storeId);
  await eventually(async () => expect(await published()).toBe(1));

  await nats.setUsers(userWith(`not ${password}`));
  await issueOne(registry, storeId);
  // The client closes the connection after the second refused login, and the relay stops.
  const relayed = async () => (await metricValues(registry.operationsUrl, "registry_relay_partitions"))[""];
  await eventually(async () => expect(await relayed()).toBe(0));
  await nats.setUsers(userWith(password));
  await eventually(async () => expect(await published()).toBe(2));
});

test("reports a failed login without revealing the password", async ({ onTestFinished }) => {
  const [right, wrong] = [randomBytes(8).toString("hex"), randomBytes(8).toString("hex")];
  const nats = await startNatsWithUsers(userWith(right));
  onTestFinished(nats.close);
  const attempt = () => connectNats({ servers: [`nats://registry:${wrong}@${nats.address}`] }, "test");
  const problem = `cannot connect to NATS at nats://${nats.address}`;
  await eventually(() => expect(attempt()).rejects.toThrow(problem));
  await expect(attempt()).rejects.toThrow(expect.not.stringContaining(wrong));
});
