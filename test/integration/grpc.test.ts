import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Code, ConnectError, createClient, type ServiceImpl } from "@connectrpc/connect";
import { Server } from "@grpc/grpc-js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { EdgeService } from "#gen/registry/v1/edge_service_pb.js";
import { errorCodes, isErrorCode } from "#shared/errors/error-codes.ts";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { freePort } from "../../deploy/local/servers/free-port.ts";
import { mountService } from "../../services/registry/rpc/server/grpc-server.ts";
import { closeGrpc, listenGrpc } from "../../services/registry/rpc/server/listen.ts";
import { grpcMount } from "../harness/grpc-mount.ts";
import { healthOf } from "../harness/health-of.ts";
import { reflectedServices } from "../harness/reflection-client.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";

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
