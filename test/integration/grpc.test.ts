import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay, setTimeout } from "node:timers/promises";
import { Code, ConnectError, createClient, type ServiceImpl } from "@connectrpc/connect";
import { Server } from "@grpc/grpc-js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { errorCodes, isErrorCode } from "#shared/errors/error-codes.ts";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { ListExchange } from "../../services/edge/registry-client/list-exchange/list-exchange.ts";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { mountService } from "../../services/registry/rpc/server/grpc-server.ts";
import { closeGrpc, listenGrpc } from "../../services/registry/rpc/server/listen.ts";
import { eventually } from "../harness/eventually.ts";
import { grpcMount } from "../harness/grpc-mount.ts";
import { healthOf } from "../harness/health-of.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import { metricValues } from "../harness/metric-values.ts";
import { reflectedServices } from "../harness/reflection-client.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createKeyedStore, createTestStore } from "../harness/test-stores.ts";
import { launchNotifier, soon } from "./notifier-rig.ts";

describe("the registry's gRPC server", async () => {
  const registry = await openTestRegistry();

  test("reports SERVING to a health check", async () => {
    expect(await healthOf(registry.address)).toBe("SERVING");
  });

  test.each(["v1", "v1alpha"] as const)("lists its services through the reflection API %s", async (version) => {
    expect(await reflectedServices(registry.address, version)).toEqual(
      expect.arrayContaining([
        "registry.v1.DeliveryService",
        "registry.v1.EdgeService",
        "registry.v1.IssuingService",
        "registry.v1.NotifierService",
        "registry.v1.StoreAdminService",
      ]),
    );
  });

  test("returns the code and field of a ServiceError", async () => {
    const call = registry.edge.returnAdmissions({ admissions: [{ keySha256: new Uint8Array(3) }] });
    const error = toServiceError(await call.catch((reason: unknown) => reason));
    expect(error).toMatchObject({
      code: "bad_request",
      field: "key_sha256",
      message: "key_sha256 must be 32 bytes",
    });
  });
});

test("a client's first call succeeds although another client of the process waits to connect again", async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const newClient = () => {
    const transport = createGrpcClient({ address, timeoutMs: 60_000 });
    onTestFinished(() => transport.close());
    return createClient(EdgeService, transport);
  };
  const waiting = newClient();
  // Each failed attempt makes it wait longer, up to a second.
  for (let call = 0; call < 20; call++) {
    await expect(waiting.listRecentKeys({})).rejects.toMatchObject({ code: Code.Unavailable });
    await setTimeout(100);
  }
  const server = new Server();
  const handlers = { returnAdmissions: () => ({}), listRecentKeys: () => ({}) };
  mountService(
    server,
    EdgeService,
    handlers,
    grpcMount(() => undefined),
  );
  await listenGrpc(server, address);
  onTestFinished(() => closeGrpc(server, 0));
  await newClient().listRecentKeys({});
});

describe("a gRPC error", () => {
  /** Serves a handler over gRPC and calls it once. @returns the error as the client and as the server observe it */
  async function callHandler(listRecentKeys: ServiceImpl<typeof EdgeService>["listRecentKeys"], timeoutMs = 60_000) {
    const server = new Server();
    const observed: (ConnectError | undefined)[] = [];
    mountService(
      server,
      EdgeService,
      { returnAdmissions: () => ({}), listRecentKeys },
      grpcMount(({ error }) => observed.push(error)),
    );
    const port = await listenGrpc(server, "127.0.0.1:0");
    const transport = createGrpcClient({ address: `127.0.0.1:${port}`, timeoutMs });
    onTestFinished(async () => {
      transport.close();
      await closeGrpc(server, 100);
    });
    const error = await createClient(EdgeService, transport)
      .listRecentKeys({})
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    return { error, observed };
  }

  function throwing(error: unknown) {
    return callHandler(() => {
      throw error;
    });
  }

  test.each(Object.keys(errorCodes).filter(isErrorCode))("keeps the code %s", async (code) => {
    const { error } = await throwing(new ServiceError(code, reason("internal_error"), { message: "A sentence." }));
    expect(ConnectError.from(error).code).toBe(errorCodes[code].grpc);
    expect(toServiceError(error)).toMatchObject({ code, message: "A sentence.", field: undefined });
  });

  test("keeps its field and message, whatever characters they contain", async () => {
    const { error } = await throwing(badRequest("größe[3]", "100 % \n \u0000 ist zu viel: 😀"));
    expect(toServiceError(error)).toMatchObject({
      code: "bad_request",
      field: "größe[3]",
      message: "größe[3] 100 % \n \u0000 ist zu viel: 😀",
    });
  });

  test("reveals no detail of an unexpected exception in the message or in the metadata", async () => {
    const secret = "password=hunter2";
    const { error, observed } = await throwing(new TypeError(secret));
    const connectError = ConnectError.from(error);
    expect(connectError.code).toBe(Code.Internal);
    expect(connectError.rawMessage).toBe("internal error");
    expect(JSON.stringify([...connectError.metadata, connectError.details])).not.toContain("hunter2");
    expect(toServiceError(error)).toMatchObject({
      code: "internal",
      message: "An internal error occurred.",
    });
    // The server still observes the cause, for the log.
    expect(String(observed[0]?.cause)).toContain(secret);
  });

  test("omits the cause of a ServiceError", async () => {
    const { error } = await throwing(
      new ServiceError("unavailable", "Try again.", { cause: new Error("db-7.internal is down") }),
    );
    const connectError = ConnectError.from(error);
    expect(JSON.stringify([...connectError.metadata])).not.toContain("db-7");
    expect(toServiceError(error)).toMatchObject({ code: "unavailable", message: "Try again." });
  });

  test("reaches the caller, and the handler can read the time left until the deadline", async () => {
    let timeLeftMs: number | undefined;
    const { error } = await callHandler((_request, { timeoutMs }) => {
      timeLeftMs = timeoutMs();
      throw new ServiceError("unavailable", "Try again.");
    }, 20_000);
    expect(toServiceError(error)).toMatchObject({ code: "unavailable" });
    expect(timeLeftMs).toBeGreaterThan(10_000);
    expect(timeLeftMs).toBeLessThanOrEqual(20_000);
  });

  test("has the code `unavailable` after the deadline, and the handler's signal is aborted", async () => {
    let aborted: Promise<unknown> | undefined;
    const beginAt = performance.now();
    const { error } = await callHandler(async (_request, { signal }) => {
      aborted = once(signal, "abort");
      await aborted;
      return {};
    }, 100);
    expect(ConnectError.from(error).code).toBe(Code.DeadlineExceeded);
    expect(toServiceError(error)).toMatchObject({
      code: "unavailable",
      message: "The service is temporarily unavailable. Try again shortly.",
    });
    await aborted;
    expect(performance.now() - beginAt).toBeLessThan(60_000);
  });

  test("has the code `unavailable` if the server is unreachable, and does not reveal the address", async () => {
    const transport = createGrpcClient({ address: "127.0.0.1:1", timeoutMs: 2_000 });
    onTestFinished(() => transport.close());
    const call = createClient(EdgeService, transport).listRecentKeys({});
    const error = toServiceError(await call.catch((reason: unknown) => reason));
    expect(error).toMatchObject({ code: "unavailable" });
    expect(error.message).not.toContain("127.0.0.1");
  });
});

test("listenGrpc rejects with a message that names the address when the port is in use", async () => {
  const servers = [new Server(), new Server()] as const;
  onTestFinished(() => {
    for (const server of servers) server.forceShutdown();
  });
  const port = await listenGrpc(servers[0], "127.0.0.1:0");
  // Silences the error that grpc-js also writes to standard error.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(listenGrpc(servers[1], `127.0.0.1:${port}`)).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port}: the port is in use`,
  );
});

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

// Node's HTTP/2 server closes a session after a burst of 1,000 stream resets.
const cancelledCalls = 1_500;
const callsAtOnce = 50;

test("a flood of cancelled calls does not break other calls on the same connection", async () => {
  const server = new Server();
  const finish = Promise.withResolvers<void>();
  let received = 0;
  mountService(
    server,
    EdgeService,
    {
      // The call that the cancelled calls must not break.
      listRecentKeys: async () => {
        await finish.promise;
        return { nextStoreId: "sto_1" };
      },
      returnAdmissions: async () => {
        received++;
        await finish.promise;
        return {};
      },
    },
    grpcMount(() => undefined),
  );
  const port = await listenGrpc(server, "127.0.0.1:0");
  const transport = createGrpcClient({ address: `127.0.0.1:${port}`, timeoutMs: 60_000 });
  onTestFinished(async () => {
    transport.close();
    await closeGrpc(server, 100);
  });
  const client = createClient(EdgeService, transport);
  const other = client.listRecentKeys({ withinSeconds: 1 }).catch((error: unknown) => error);

  for (let done = 0; done < cancelledCalls; done += callsAtOnce) {
    const controller = new AbortController();
    const calls = Array.from({ length: callsAtOnce }, () => client.returnAdmissions({}, { signal: controller.signal }));
    const results = Promise.allSettled(calls);
    await expect.poll(() => received, { interval: 1 }).toBe(done + callsAtOnce);
    controller.abort();
    expect((await results).map(({ status }) => status)).toEqual(Array(callsAtOnce).fill("rejected"));
  }
  finish.resolve();
  expect(await other).toMatchObject({ nextStoreId: "sto_1" });
});

test("services that listen on :: are reached over IPv6, by their clients and by each other", async (context) => {
  const { onTestFinished: onEnd } = context;
  const { url: natsUrl } = await startTestNats(onEnd);
  const registry = await openTestRegistry({ natsUrl, env: { REGISTRY_HOST: "::" } }, onEnd);
  const address = registry.address.replace("127.0.0.1", "[::1]");
  const edge = await openTestEdge({ host: "::", registryAddress: address }, { onEnd });
  const { apiKey, storeId } = await createKeyedStore(registry);
  const id = await issueOne(registry, storeId);

  const list = await fetch(`http://[::1]:${edge.port}/v1/certificates`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(await list.json()).toMatchObject({ certificates: [{ id }] });
  await soon(() => expect(edge.log).toContainEqual(expect.objectContaining({ msg: "request", client: "::1" })));

  const notifier = await launchNotifier({ context, natsUrl, address }, { NOTIFIER_HOST: "::" });
  await notifier.reports("ok");
  for (const port of [new URL(registry.operationsUrl).port, edge.operationsPort, notifier.operationsPort])
    expect((await fetch(`http://[::1]:${port}/readyz`)).status).toBe(200);
});

const env = { REGISTRY_RATE_LIMIT: "10000" };
const first = await openTestRegistry({ env });
const second = await openTestRegistry({ database: first.database, env });

const streams = async ({ operationsUrl }: TestRegistry) =>
  (await metricValues(operationsUrl, "registry_list_streams"))[""];

test("switches to a name's new addresses without failing a request, and keeps them while the name cannot be resolved", async () => {
  const { keySha256 } = await createKeyedStore(first);
  let addresses: readonly string[] | undefined = [first.address];
  const exchange = new ListExchange({
    address: "dns:///registry.example.test:9090",
    clock: steadyClock,
    resolve: async () => {
      if (addresses === undefined) throw new Error("the name cannot be resolved");
      return addresses;
    },
    resolveEveryMs: 20,
  });
  onTestFinished(() => exchange.close());
  const list = () =>
    exchange.handleList(
      { keySha256, admissionId: randomBytes(16) },
      { requestId: "test", timeoutMs: 20_000, signal: new AbortController().signal },
    );
  let isRunning = true;
  const repeat = async () => {
    while (isRunning) await list();
  };
  const requests = Promise.all([repeat(), repeat()]);
  await eventually(async () => expect(await streams(first)).toBe(1));
  addresses = [second.address, first.address];
  await eventually(async () => expect(await streams(second)).toBe(1));
  addresses = [second.address];
  await eventually(async () => expect(await streams(first)).toBe(0));
  addresses = undefined;
  await delay(100);
  isRunning = false;
  await requests;
  await list();
  expect([await streams(first), await streams(second)]).toEqual([0, 1]);
});
