import { expect, test } from "vitest";
import { parseTarget, resolveTarget } from "./registry-target.ts";

test.each([
  ["127.0.0.1:9090", { kind: "fixed", addresses: ["127.0.0.1:9090"] }],
  ["[::1]:9090", { kind: "fixed", addresses: ["[::1]:9090"] }],
  ["ipv4:10.0.0.1:9090,10.0.0.2:9091", { kind: "fixed", addresses: ["10.0.0.1:9090", "10.0.0.2:9091"] }],
  ["registry:9090", { kind: "name", host: "registry", port: "9090" }],
  ["dns:///registry.shop.svc:9090", { kind: "name", host: "registry.shop.svc", port: "9090" }],
])("parses %s", (address, expected) => {
  expect(parseTarget(address)).toEqual(expected);
});

test("refuses an address without a port", () => {
  expect(() => parseTarget("registry")).toThrow("registry: must be host:port or dns:///host:port");
});

test("resolves a host name to IP addresses with the given port", async () => {
  const addresses = await resolveTarget(parseTarget("dns:///localhost:9090"));
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) expect(["127.0.0.1:9090", "[::1]:9090"]).toContain(address);
});
