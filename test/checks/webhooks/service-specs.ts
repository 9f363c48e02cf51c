import { acceptsConnections, type ServiceSpec } from "../../../deploy/local/stack/service-process.ts";
import {
  notifierSpec,
  registrySpec,
  type StackAddresses,
} from "../../../deploy/local/stack/service-specs.ts";
import type { CheckFiles } from "./check-files.ts";

/** What the services under test have in common. */
export interface ServicesSetup extends Pick<StackAddresses, "mongodbUri" | "natsUrl"> {
  /** Two each. */
  readonly registryPorts: readonly (readonly [port: number, operationsPort: number])[];
  readonly files: CheckFiles;
  readonly claimLifeMs: number | undefined;
}

const host = "127.0.0.1";
// Some receivers hang; with 8 s for each of their messages a run would take hours.
const replyTimeoutMs = 1_000;

/** The address of a registry. */
export function addressOf(port: number): string {
  return `${host}:${port}`;
}

/** The registries. */
export function registrySpecs(setup: ServicesSetup): ServiceSpec[] {
  const { claimLifeMs } = setup;
  return setup.registryPorts.map(([registryPort, registryOperationsPort], index) => {
    const spec = registrySpec(
      addresses(setup, { registryPort, registryOperationsPort }),
      setup.files.secretKey,
    );
    return {
      ...spec,
      name: `registry-${index + 1}`,
      script: claimLifeMs === undefined ? spec.script : "test/checks/webhooks/short-claims-registry.ts",
      env: { ...spec.env, CHECK_CLAIM_LIFE_MS: String(claimLifeMs ?? ""), REGISTRY_LOG_LEVEL: "warn" },
    };
  });
}

/** A notifier. @param task what it is to do for the check, as environment variables */
export function checkedNotifierSpec(
  setup: ServicesSetup,
  number: number,
  notifierOperationsPort: number,
  task: Readonly<Record<string, string>>,
): ServiceSpec {
  const spec = notifierSpec(addresses(setup, { notifierOperationsPort }), setup.files.ca);
  const registries = setup.registryPorts.map(([port]) => addressOf(port));
  return {
    ...spec,
    name: `notifier-${number}`,
    script: "test/checks/webhooks/notifier.ts",
    env: {
      ...spec.env,
      // As `dns:///` does with the pods of a service, it balances over all of the registries.
      NOTIFIER_REGISTRY_ADDRESS: `ipv4:${registries.join(",")}`,
      NOTIFIER_REPLY_TIMEOUT_MS: String(replyTimeoutMs),
      NOTIFIER_LOG_LEVEL: "warn",
      ...task,
    },
  };
}

/** The receiver. */
export function recordingReceiverSpec(port: number, files: CheckFiles, seed: number): ServiceSpec {
  return {
    name: "receiver",
    script: "test/checks/webhooks/receiver/main.ts",
    env: {
      RECEIVER_PORT: String(port),
      RECEIVER_CERT_FILE: files.cert,
      RECEIVER_KEY_FILE: files.key,
      RECEIVER_RECORD_FILE: files.record,
      RECEIVER_SEED: String(seed),
    },
    isReady: () => acceptsConnections(port),
  };
}

function addresses(setup: ServicesSetup, at: Partial<StackAddresses>): StackAddresses {
  const none = { registryPort: 0, registryOperationsPort: 0, edgePort: 0, edgeOperationsPort: 0 };
  return { ...none, notifierOperationsPort: 0, ...setup, ...at };
}
