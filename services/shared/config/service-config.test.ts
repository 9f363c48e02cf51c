import { expect, test } from "vitest";
import { z } from "zod";
import { defineConfig } from "./service-config.ts";
import { commaSeparated, portNumber } from "./variable-types.ts";

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

test("names the variable of a missing field", () => {
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
