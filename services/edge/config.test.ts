import { describe, expect, test } from "vitest";
import { ConfigError } from "#shared/config/config-error.ts";
import { edgeConfig } from "./config.ts";

const required = { EDGE_REGISTRY_ADDRESS: "registry:50051", EDGE_CURSOR_KEY_FILES: "/keys/new, /keys/old" };

describe("edgeConfig.load", () => {
  test("requires only the registry's address and the cursor keys", () => {
    expect(edgeConfig.load(required)).toEqual({
      grpcTls: "on",
      grpcCertDomain: "certificate-registry.internal",
      host: "0.0.0.0",
      port: 8_080,
      operationsPort: 9_080,
      registryAddress: "registry:50051",
      registryTimeoutMs: 5_000,
      listsMax: 2_000,
      listsPerKeyMin: 4,
      pageLookupsMax: 64,
      pagesPerSecondMax: 3_000,
      cursorKeyFiles: ["/keys/new", "/keys/old"],
      settingsFrameAncestors: [],
      trustedProxies: [],
      connectionsMax: 10_000,
      connectionsPerAddressMax: 1_000,
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 15_000,
      keepAliveTimeoutMs: 65_000,
      logLevel: "info",
      otelTracesSamplerArg: 0.05,
      shutdownDelayMs: 0,
      shutdownGraceMs: 10_000,
    });
  });

  test("lists all missing variables in the error", () => {
    expect(() => edgeConfig.load({})).toThrow(/EDGE_REGISTRY_ADDRESS.*EDGE_CURSOR_KEY_FILES/);
  });

  test.each(["127.0.0.1:50051", "[::1]:50051", "dns:///registry.default.svc:50051"])(
    "accepts the address %s",
    (address) => {
      expect(edgeConfig.load({ ...required, EDGE_REGISTRY_ADDRESS: address }).registryAddress).toBe(address);
    },
  );

  test.each([
    ["EDGE_REGISTRY_ADDRESS", "registry"],
    ["EDGE_REGISTRY_ADDRESS", "http://registry:50051"],
    ["EDGE_CURSOR_KEY_FILES", " , "],
    ["EDGE_PORT", "65536"],
    ["EDGE_PORT", "http"],
    ["EDGE_REGISTRY_TIMEOUT_MS", "0"],
    ["EDGE_LISTS_MAX", "1"],
    ["EDGE_LISTS_PER_KEY_MIN", "0"],
    ["EDGE_TRUSTED_PROXIES", "10.0.0.1"],
    ["EDGE_TRUSTED_PROXIES", "10.0.0.0/8,ingress"],
    ["EDGE_CONNECTIONS_MAX", "0"],
    ["EDGE_CONNECTIONS_PER_ADDRESS_MAX", "many"],
    ["EDGE_HEADERS_TIMEOUT_MS", "0"],
    ["EDGE_LOG_LEVEL", "loud"],
    ["EDGE_SHUTDOWN_DELAY_MS", "-1"],
  ])("rejects %s=%s, naming the variable", (name, value) => {
    const load = () => edgeConfig.load({ ...required, [name]: value });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(name);
  });
});

test.each(["'self'", "https://admin.example;script-src *", "admin.example", "https://admin.example/path"])(
  "refuses the frame ancestor %j",
  (origin) => {
    const required = { EDGE_REGISTRY_ADDRESS: "registry:9090", EDGE_CURSOR_KEY_FILES: "/keys/one" };
    expect(() => edgeConfig.load({ ...required, EDGE_SETTINGS_FRAME_ANCESTORS: origin })).toThrow(
      "EDGE_SETTINGS_FRAME_ANCESTORS",
    );
  },
);
