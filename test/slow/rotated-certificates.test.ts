import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { afterAll, expect, test } from "vitest";
import { EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { openGrpcTls } from "#shared/rpc/grpc-tls.ts";
import { systemClock } from "#shared/time/clock.ts";
import {
  type GrpcFiles,
  issueGrpcCertificates,
  localCertDomain,
  replaceGrpcCertificates,
} from "../../deploy/local/stack/grpc-certificates.ts";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { CertificateAuthority } from "../../services/shared/tls/certificate-authority.ts";
import { callMethod } from "../harness/call-method.ts";
import { channelSecurity } from "../harness/channel-security.ts";
import { eventually } from "../harness/eventually.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { ListClient } from "../harness/list-client.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

// Far below the defaults, with which old connections remain open for up to about 15 minutes after a rotation. With even
// shorter ages, a busy machine could refuse a call on two closing connections in a row; a client tries only two.
const connectionAgeMs = 3_000;
const streamAgeMs = 1_500;
const health = "grpc.health.v1.Health/Check";

const folder = await openTemporaryFolder("rotated-certificates", afterAll);
const oldAuthority = await CertificateAuthority.create();
const newAuthority = await CertificateAuthority.create();
const files = await issueGrpcCertificates(folder, oldAuthority);
const registryLog = captureLog();
const registry = await openTestRegistry({
  grpc: files,
  env: { REGISTRY_RATE_LIMIT: "10000" },
  overrides: { connectionAgeMs },
  onLogLine: registryLog.onLogLine,
});
const settingsOf = ({ cert, key, ca }: GrpcFiles) => ({
  grpcTls: "on" as const,
  grpcCertDomain: localCertDomain,
  grpcCertFile: cert,
  grpcKeyFile: key,
  grpcCaFile: ca,
});

/** Opens a client that reloads its TLS files when they change. */
function openClient(self: "edge" | "operator") {
  const log = captureLog();
  const deps = { prefix: "TEST", self, clock: systemClock, logger: log.logger, onChecked: () => undefined };
  const tls = openGrpcTls(settingsOf(files[self]), deps);
  // On a busy machine, a call may take longer than the default time limit.
  const transport = createGrpcClient({ address: registry.address, security: tls?.channel, timeoutMs: 60_000 });
  afterAll(async () => {
    transport.close();
    await tls?.close();
  });
  return { transport, log: log.lines };
}

/** Repeats a call in two loops until `stop` is called, and counts each result: `ok` or the error. */
function repeatCall(call: () => Promise<unknown>) {
  const results = new Map<string, number>();
  const stopping = new AbortController();
  const repeat = async () => {
    while (!stopping.signal.aborted) {
      const result = await call().then(() => "ok", String);
      results.set(result, (results.get(result) ?? 0) + 1);
      await delay(2);
    }
  };
  const running = Promise.all([repeat(), repeat()]);
  return {
    results,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

test("no call fails while the registry and its callers adopt certificates from a new authority without a restart", async () => {
  const { apiKey } = await createKeyedStore(registry);
  // On a busy machine, a request may take longer than the default time limit.
  const more = { registryAddress: registry.address };
  const edge = await openTestEdge({ ...settingsOf(files.edge), ...more }, { streamAgeMs });
  const list = new ListClient(`http://127.0.0.1:${edge.port}`, apiKey);
  const [edgeCaller, operator] = [openClient("edge"), openClient("operator")];
  const edgeService = createClient(EdgeService, edgeCaller.transport);
  const stores = createClient(StoreAdminService, operator.transport);
  const load = [
    repeatCall(() => list.page({ limit: "1" })),
    repeatCall(() => edgeService.listRecentKeys({ withinSeconds: 60 })),
    repeatCall(() => stores.listStores({})),
  ];
  const logs = [registryLog.lines, edge.log, edgeCaller.log, operator.log];
  const changesIn = (log: readonly Readonly<Record<string, unknown>>[]) =>
    log.filter(({ msg }) => msg === "reloaded changed TLS files").length;
  /** Waits until the registry and its callers use their changed files and have replaced their connections. */
  const untilUsed = async (changes: number) => {
    await eventually(() => expect(Math.min(...logs.map(changesIn))).toBeGreaterThanOrEqual(changes));
    await delay(2 * connectionAgeMs);
  };
  const trust = (...authorities: CertificateAuthority[]) =>
    writeFile(files.registry.ca, authorities.map(({ caPem }) => caPem).join("\n"));
  const keep = async (name: string) => {
    const kept = { cert: `${folder}/${name}-cert.pem`, key: `${folder}/${name}-key.pem`, ca: files.edge.ca };
    await writeFile(kept.cert, await readFile(files.edge.cert));
    await writeFile(kept.key, await readFile(files.edge.key));
    return kept;
  };

  const oldCertificate = await keep("old");
  await trust(oldAuthority, newAuthority);
  await untilUsed(1);
  await replaceGrpcCertificates(files, newAuthority);
  await untilUsed(2);
  expect(await callMethod(registry.address, health, channelSecurity(oldCertificate))).toBe("accepted");
  await trust(newAuthority);
  await untilUsed(3);
  expect(await callMethod(registry.address, health, channelSecurity(oldCertificate))).toBe("UNAVAILABLE");
  expect(await callMethod(registry.address, health, channelSecurity(files.edge))).toBe("accepted");

  for (const { stop } of load) await stop();
  for (const { results } of load) {
    expect([...results.keys()]).toEqual(["ok"]);
    expect(results.get("ok")).toBeGreaterThan(20);
  }
}, 120_000);
