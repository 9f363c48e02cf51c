import type { ServiceSpec } from "../../../deploy/local/stack/service-process.ts";
import { edgeSpec, registrySpec, type StackAddresses } from "../../../deploy/local/stack/service-specs.ts";

/** What the services under test have in common. */
export interface ServicesSetup extends Pick<StackAddresses, "mongodbUri" | "natsUrl"> {
  /** Ten free ones. */
  readonly ports: readonly number[];
  readonly cursorKeyFile: string;
  readonly secretKeyFile: string;
  readonly plainClock: boolean;
}

/** The services under test and where they are. */
export interface CheckedServices {
  /** In the order in which they start. */
  readonly specs: readonly ServiceSpec[];
  /** `host:port` of each registry. */
  readonly registryAddresses: readonly string[];
  readonly edgeUrls: readonly string[];
}

const host = "127.0.0.1";
// The check asks as often as it can.
const unlimited = { REGISTRY_RATE_LIMIT: "10000", REGISTRY_RATE_LIMIT_WINDOW_MS: "1000" };

/** Three registries and, before all of them, two edges. */
export function checkedServices(setup: ServicesSetup): CheckedServices {
  const { ports, cursorKeyFile, secretKeyFile, plainClock } = setup;
  const registryPorts = ports.slice(0, 3);
  const edgePorts = ports.slice(6, 8);
  const addresses = (at: Partial<StackAddresses>): StackAddresses => ({
    ...{ registryPort: 0, registryOperationsPort: 0, edgePort: 0, edgeOperationsPort: 0 },
    ...{ notifierOperationsPort: 0, ...setup, ...at },
  });
  const registries = registryPorts.map((registryPort, index): ServiceSpec => {
    const registryOperationsPort = ports[3 + index] ?? 0;
    const spec = registrySpec(addresses({ registryPort, registryOperationsPort }), secretKeyFile);
    return {
      ...spec,
      name: `registry-${index + 1}`,
      script: plainClock ? "test/checks/feed/plain-clock-registry.ts" : spec.script,
      env: { ...spec.env, ...unlimited, REGISTRY_LOG_LEVEL: "warn" },
    };
  });
  const registryAddresses = registryPorts.map((port) => `${host}:${port}`);
  const edges = edgePorts.map((edgePort, index): ServiceSpec => {
    const spec = edgeSpec(addresses({ edgePort, edgeOperationsPort: ports[8 + index] ?? 0 }), cursorKeyFile);
    // As `dns:///` does with the pods of a service, it balances over all of the registries.
    const balanced = { EDGE_REGISTRY_ADDRESS: `ipv4:${registryAddresses.join(",")}`, EDGE_LOG_LEVEL: "warn" };
    return { ...spec, name: `edge-${index + 1}`, env: { ...spec.env, ...balanced } };
  });
  return {
    specs: [...registries, ...edges],
    registryAddresses,
    edgeUrls: edgePorts.map((port) => `http://${host}:${port}`),
  };
}
