import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { defineConfig } from "./service-config.ts";
import { commaSeparated, portNumber, readableFromFile } from "./variable-types.ts";

const folder = await openTemporaryFolder("service-config", afterAll);

const config = defineConfig("EDGE", {
  registryAddress: z.string().describe("Address of the registry"),
  port: portNumber.default(8_080).describe("The port"),
  names: commaSeparated.default([]).describe("Names"),
  extraCaFile: z.string().optional().describe("A file"),
});

test("reads each field from the variable named after it", () => {
  expect(config.load({ EDGE_REGISTRY_ADDRESS: "a:1", EDGE_PORT: "9", EDGE_EXTRA_CA_FILE: "/ca" })).toEqual({
    registryAddress: "a:1",
    port: 9,
    names: [],
    extraCaFile: "/ca",
  });
});

test("reads the standard OpenTelemetry variables, which have no service prefix", () => {
  const traced = defineConfig("EDGE", { otelTracesSamplerArg: z.coerce.number().default(1).describe("Share") });
  expect(traced.load({ OTEL_TRACES_SAMPLER_ARG: "0.5" })).toEqual({ otelTracesSamplerArg: 0.5 });
  expect(traced.variables).toMatchObject([{ name: "OTEL_TRACES_SAMPLER_ARG" }]);
});

test("names the variable of a missing field in the error", () => {
  expect(() => config.load({})).toThrow("EDGE_REGISTRY_ADDRESS is not set");
});

test("lists each variable with its default and its description", () => {
  expect(config.variables).toEqual([
    { name: "EDGE_REGISTRY_ADDRESS", defaultText: "required", description: "Address of the registry" },
    { name: "EDGE_PORT", defaultText: "8080", description: "The port" },
    { name: "EDGE_NAMES", defaultText: "none", description: "Names" },
    { name: "EDGE_EXTRA_CA_FILE", defaultText: "none", description: "A file" },
  ]);
});

describe("a variable that may contain a password", () => {
  const file = join(folder, "uri");
  const server = defineConfig("EDGE", {
    serverUri: readableFromFile(
      z
        .string()
        .regex(/^nats:/, "must begin with nats:")
        .describe("Address of the server"),
    ),
  });

  test("can be read from a file, without the file's trailing line break", () => {
    writeFileSync(file, "nats://user:password@host\n");
    expect(server.load({ EDGE_SERVER_URI_FILE: file })).toEqual({ serverUri: "nats://user:password@host" });
    expect(server.load({ EDGE_SERVER_URI: "nats://host", EDGE_SERVER_URI_FILE: "" })).toEqual({
      serverUri: "nats://host",
    });
  });

  test("must not be set both directly and through a file", () => {
    writeFileSync(file, "nats://host");
    expect(() => server.load({ EDGE_SERVER_URI: "nats://host", EDGE_SERVER_URI_FILE: file })).toThrow(
      "EDGE_SERVER_URI and EDGE_SERVER_URI_FILE are both set; set only one of them",
    );
  });

  test("is named in the error if it is set neither directly nor through a file", () => {
    expect(() => server.load({})).toThrow("EDGE_SERVER_URI is not set");
  });

  test("is reported by the name of its _FILE variable, without its value, if the file is unreadable, empty or invalid", () => {
    expect(() => server.load({ EDGE_SERVER_URI_FILE: `${file}-absent` })).toThrow(
      `EDGE_SERVER_URI_FILE: ${file}-absent cannot be read (ENOENT)`,
    );
    writeFileSync(file, "\n");
    expect(() => server.load({ EDGE_SERVER_URI_FILE: file })).toThrow(`EDGE_SERVER_URI_FILE: ${file} is empty`);
    writeFileSync(file, "hunter2");
    expect(() => server.load({ EDGE_SERVER_URI_FILE: file })).toThrow(
      "The configuration is invalid. EDGE_SERVER_URI_FILE must begin with nats:",
    );
  });

  test("is listed together with the variable that names its file", () => {
    expect(server.variables).toEqual([
      { name: "EDGE_SERVER_URI", defaultText: "required", description: "Address of the server" },
      {
        name: "EDGE_SERVER_URI_FILE",
        defaultText: "none",
        description:
          "File with the value of EDGE_SERVER_URI, which may contain a password; set only one of the two variables",
      },
    ]);
  });
});
