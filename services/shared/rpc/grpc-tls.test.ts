import { expect, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { ConfigError } from "../config/config-error.ts";
import { systemClock } from "../time/clock.ts";
import { openGrpcTls } from "./grpc-tls.ts";
import { type GrpcSettings, grpcVariables } from "./grpc-variables.ts";

const grpcCertDomain = grpcVariables.grpcCertDomain.parse(undefined);
const { logger, lines } = captureLog();
const open = (settings: Partial<GrpcSettings>) =>
  openGrpcTls(
    { grpcTls: "on", grpcCertDomain, ...settings },
    { prefix: "EDGE", self: "edge", clock: systemClock, logger, onChecked: () => undefined },
  );

test("requires all three files unless TLS is off, and names the missing variables", () => {
  const remedy = "to run without TLS, set EDGE_GRPC_TLS=off instead";
  expect(() => open({})).toThrow(ConfigError);
  expect(() => open({})).toThrow(`Set EDGE_GRPC_CERT_FILE, EDGE_GRPC_KEY_FILE, EDGE_GRPC_CA_FILE; ${remedy}`);
  expect(() => open({ grpcCertFile: "/a", grpcCaFile: "/b" })).toThrow(`Set EDGE_GRPC_KEY_FILE; ${remedy}`);
});

test("names each file that cannot be read, and its variable", () => {
  const files = { grpcCertFile: "/nowhere/a", grpcKeyFile: "/nowhere/b", grpcCaFile: "/nowhere/c" };
  const problems = [
    "EDGE_GRPC_CERT_FILE: /nowhere/a cannot be read (ENOENT)",
    "EDGE_GRPC_KEY_FILE: /nowhere/b cannot be read (ENOENT)",
    "EDGE_GRPC_CA_FILE: /nowhere/c cannot be read (ENOENT)",
  ];
  expect(() => open(files)).toThrow(problems.join("; "));
  expect(() => open({ ...files, grpcCaFile: undefined })).toThrow(
    ["Set EDGE_GRPC_CA_FILE; to run without TLS, set EDGE_GRPC_TLS=off instead", ...problems.slice(0, 2)].join("; "),
  );
});

test("returns undefined and logs a warning if TLS is off", () => {
  expect(open({ grpcTls: "off" })).toBeUndefined();
  expect(lines).toMatchObject([
    { level: 40, msg: "gRPC calls are neither encrypted nor authorized, because EDGE_GRPC_TLS is off" },
  ]);
});
