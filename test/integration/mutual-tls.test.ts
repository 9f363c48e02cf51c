import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import { Server } from "@grpc/grpc-js";
import { HealthImplementation, service as healthService } from "grpc-health-check";
import { pino } from "pino";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { methodName } from "#shared/rpc/method-name.ts";
import { type GrpcFiles, issueGrpcCertificates, localCertDomain } from "../../deploy/local/stack/grpc-certificates.ts";
import { grpcVariablesFor } from "../../deploy/local/stack/service-specs.ts";
import { permittedCallers } from "../../services/registry/rpc/method-access.ts";
import { registryServices } from "../../services/registry/rpc/registry-services.ts";
import { closeGrpc, listenGrpc } from "../../services/registry/rpc/server/listen.ts";
import { openGrpcTls } from "../../services/shared/rpc/grpc-tls.ts";
import { systemClock } from "../../services/shared/time/clock.ts";
import { CertificateAuthority } from "../../services/shared/tls/certificate-authority.ts";
import { callMethod } from "../harness/call-method.ts";
import { channelSecurity } from "../harness/channel-security.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { issueFiles } from "../harness/issue-files.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";

const folder = await openTemporaryFolder("mutual-tls", afterAll);
const authority = await CertificateAuthority.create();
const files = await issueGrpcCertificates(folder, authority);
const { lines: log, onLogLine } = captureLog();
const registry = await openTestRegistry({ grpc: files, onLogLine });

// @grpc/reflection does not export its methods.
const reflectionMethods = ["v1", "v1alpha"].map(
  (version) => `grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
);
const expectedCallers = [
  ...registryServices.flatMap(({ methods }) =>
    methods.map(methodName).map((method) => [method, permittedCallers(registryServices)(method)] as const),
  ),
  ...[...Object.values(healthService).map(({ path }) => path.slice(1)), ...reflectionMethods].map(
    (method) => [method, permittedCallers([])(method)] as const,
  ),
];

const nameIn = (peer: string) => `${peer}.${localCertDomain}`;
const call = (method: string, as: GrpcFiles) => callMethod(registry.address, method, channelSecurity(as));
const health = "grpc.health.v1.Health/Check";
const recentKeys = "registry.v1.EdgeService/ListRecentKeys";

describe("a caller's certificate", () => {
  test.each(expectedCallers)("permits calls to %s only for %j", async (method, permitted) => {
    for (const peer of ["edge", "notifier", "operator", "registry"] as const) {
      const as = peer === "registry" ? await issueFiles(folder, authority, [nameIn("registry")]) : files[peer];
      const result = await call(method, as);
      if (permitted.includes(peer)) expect(result).not.toMatch(/PERMISSION_DENIED|UNAVAILABLE|UNIMPLEMENTED/);
      else expect(result).toBe("PERMISSION_DENIED");
    }
  });

  test.each<[string, Parameters<typeof issueFiles>[2], Parameters<typeof issueFiles>[3]]>([
    ["only its common name is right", ["other.example"], { commonName: nameIn("edge") }],
    ["it has a common name and no subjectAltName", [], { commonName: nameIn("edge"), alternativeNames: undefined }],
    ["its name is a wildcard", [`*.${localCertDomain}`], {}],
    ["its name is a subdomain of the right name", [`a.${nameIn("edge")}`], {}],
    ["its name is in another domain", ["edge.other.internal"], {}],
    ["its name is a URI", [], { alternativeNames: [{ type: "url", value: `spiffe://${nameIn("edge")}` }] }],
    ["its name is an e-mail address", [], { alternativeNames: [{ type: "email", value: `a@${nameIn("edge")}` }] }],
  ])("grants no permission if %s", async (_case, names, more) => {
    expect(await call(recentKeys, await issueFiles(folder, authority, names, more))).toBe("PERMISSION_DENIED");
  });

  test("grants the permissions of all its names", async () => {
    const as = await issueFiles(folder, authority, ["other.example", nameIn("edge"), nameIn("operator")]);
    expect(await call(recentKeys, as)).toBe("INVALID_ARGUMENT");
    expect(await call("registry.v1.StoreAdminService/ListStores", as)).toBe("accepted");
    expect(await call("registry.v1.NotifierService/RecordOutcomes", as)).toBe("PERMISSION_DENIED");
  });

  test("without the required name causes a log line that contains this name, and increments a metric", async () => {
    log.length = 0;
    await call(recentKeys, files.notifier);
    const line = { method: recentKeys, code: "PermissionDenied", message: expect.stringContaining(nameIn("edge")) };
    expect(log).toContainEqual(expect.objectContaining(line));
    const calls = await metricValues(registry.operationsUrl, "registry_grpc_call_duration_seconds_count");
    expect(calls[`method="${recentKeys}",code="PermissionDenied"`]).toBeGreaterThan(0);
  });

  test("adds no metric for a method that does not exist", async () => {
    expect(await call("made.up/Method", files.edge)).toBe("UNIMPLEMENTED");
    const calls = await metricValues(registry.operationsUrl, "registry_grpc_call_duration_seconds_count");
    expect(Object.keys(calls).join()).not.toContain("made.up");
  });
});

test("the domain of the names in certificates is configurable", async ({ onTestFinished }) => {
  const domain = "prod.example";
  const own = await issueFiles(folder, authority, [`registry.${domain}`], { usages: ["server"] });
  const env = { ...grpcVariablesFor("REGISTRY", own), REGISTRY_GRPC_CERT_DOMAIN: domain };
  const { address } = await openTestRegistry({ env }, onTestFinished);
  const callAs = async (peer: string) =>
    callMethod(address, recentKeys, channelSecurity(await issueFiles(folder, authority, [peer]), domain));
  expect(await callAs(`edge.${domain}`)).toBe("INVALID_ARGUMENT");
  expect(await callAs(nameIn("edge"))).toBe("PERMISSION_DENIED");
});

describe("the registry accepts no connection", () => {
  test("without a client certificate", async () => {
    const port = Number(registry.address.split(":")[1]);
    const ca = readFileSync(files.registry.ca);
    const socket = connect({ port, host: "127.0.0.1", servername: nameIn("registry"), ca, ALPNProtocols: ["h2"] });
    // In TLS 1.3, the client learns of the refusal only after it has completed the handshake.
    const [error] = await once(socket, "error");
    expect(error).toMatchObject({ code: "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED" });
  });

  test("without TLS", async () => {
    expect(await callMethod(registry.address, health)).toBe("UNAVAILABLE");
  });

  test.each<[string, () => Promise<GrpcFiles>]>([
    [
      "from another authority",
      async () => {
        const other = await issueFiles(folder, await CertificateAuthority.create(), [nameIn("edge")]);
        return { ...other, ca: files.edge.ca };
      },
    ],
    ["that has expired", () => issueFiles(folder, authority, [nameIn("edge")], { days: -1 })],
    ["for servers", () => issueFiles(folder, authority, [nameIn("edge")], { usages: ["server"] })],
  ])("with a client certificate %s", async (_case, makeFiles) => {
    expect(await call(recentKeys, await makeFiles())).toBe("UNAVAILABLE");
  });
});

describe("a client", () => {
  const logger = pino({ level: "silent" });

  /** Starts a server that uses the TLS files `own` and requires client certificates. @returns its address */
  async function startServer(own: GrpcFiles, self: "registry" | "edge"): Promise<string> {
    const server = new Server();
    new HealthImplementation({ "": "SERVING" }).addToServer(server);
    const settings = { grpcCertFile: own.cert, grpcKeyFile: own.key, grpcCaFile: own.ca };
    const tls = openGrpcTls(
      { grpcTls: "on", grpcCertDomain: localCertDomain, ...settings },
      { prefix: "TEST", self, clock: systemClock, logger, onChecked: () => undefined },
    );
    const port = await listenGrpc(server, "127.0.0.1:0", tls?.server);
    onTestFinished(async () => {
      await closeGrpc(server, 0);
      await tls?.close();
    });
    return `127.0.0.1:${port}`;
  }

  test("connects to a server with the registry's certificate, whatever the server's address", async () => {
    const port = registry.address.split(":")[1];
    const security = channelSecurity(files.edge);
    for (const address of [registry.address, `dns:///localhost:${port}`, `ipv4:127.0.0.1:${port}`])
      expect(await callMethod(address, health, security)).toBe("accepted");
  });

  test("does not connect to a server with another peer's certificate", async () => {
    const own = await issueFiles(folder, authority, [nameIn("edge")], { usages: ["server"] });
    expect(await callMethod(await startServer(own, "edge"), health, channelSecurity(files.edge))).toBe("UNAVAILABLE");
  });

  test("does not connect to a server with a certificate from another authority", async () => {
    const other = await CertificateAuthority.create();
    const own = await issueFiles(folder, other, [nameIn("registry")], { usages: ["server"] });
    const address = await startServer({ ...own, ca: files.registry.ca }, "registry");
    expect(await callMethod(address, health, channelSecurity(files.edge))).toBe("UNAVAILABLE");
  });

  test("does not connect to a server without TLS", async () => {
    const server = new Server();
    new HealthImplementation({ "": "SERVING" }).addToServer(server);
    const port = await listenGrpc(server, "127.0.0.1:0");
    onTestFinished(() => closeGrpc(server, 0));
    expect(await callMethod(`127.0.0.1:${port}`, health, channelSecurity(files.edge))).toBe("UNAVAILABLE");
  });
});
