import { edgeConfig } from "../../../services/edge/config.ts";
import { notifierConfig } from "../../../services/notifier/config.ts";
import { registryConfig } from "../../../services/registry/config.ts";
import type { ServiceSpec } from "./service-process.ts";

const known = new Set(
  [registryConfig, edgeConfig, notifierConfig].flatMap(({ variables }) => variables.map(({ name }) => name)),
);

/** Alternatives to variables that `npm start` ignores, as clauses for messages. Some variables have none. */
const remedies: Readonly<Record<string, string>> = {
  EDGE_PORT: "use --port",
  REGISTRY_PORT: "use --registry-port",
  REGISTRY_MONGODB_URI: "set MONGODB_URI",
  REGISTRY_NATS_SERVERS: "set NATS_URL",
  NOTIFIER_NATS_SERVERS: "set NATS_URL",
};

// Set by npm start, but the local set-up also works with other values.
const replaceable = /_VERIFY_BASE_URL$/;
// The caller's entries are added to those of npm start.
const lists = /_ALLOWED_(NETWORKS|HOSTS)$/;
// combineAuthorities has already added this file's authorities to those that npm start sets.
const combinedBefore = "NOTIFIER_EXTRA_CA_FILE";

/** The effect of the caller's environment on a service. */
interface CallerVariables {
  /** Variables to set for the service, which also inherits the caller's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Messages for the user, without values, which may be secret. */
  readonly messages: readonly string[];
}

/**
 * Adds a service's variables in the caller's environment to those that `npm start` sets, with a message for each.
 * Ignores variables that would break the local set-up.
 *
 * @param env the caller's environment; variables of other programs and empty variables are skipped
 */
export function withCallerVariables(
  spec: Pick<ServiceSpec, "name" | "env">,
  env: Readonly<Record<string, string | undefined>>,
): CallerVariables {
  const given = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith(`${spec.name.toUpperCase()}_`) && value && name !== combinedBefore ? [[name, value] as const] : [],
  );
  const effects = given.map(([name, value]) => effectOf(name, value, spec));
  return {
    env: { ...spec.env, ...Object.fromEntries(effects.flatMap(({ set }) => (set === undefined ? [] : [set]))) },
    messages: effects.map(({ message }) => message),
  };
}

interface Effect {
  /** The variable to set, with its value; undefined if there is nothing to set. */
  readonly set?: readonly [name: string, value: string];
  readonly message: string;
}

function effectOf(name: string, value: string, { name: service, env }: Pick<ServiceSpec, "name" | "env">): Effect {
  if (!known.has(name))
    return { message: `The ${service} does not use ${name}: deploy/CONFIGURATION.md lists its variables.` };
  const own = name in env ? name : name.replace(/_FILE$/, "");
  const current = env[own];
  if (current === undefined || replaceable.test(name))
    return { set: [name, value], message: `The ${service} uses ${name} from your environment.` };
  if (lists.test(name)) {
    const message = `The ${service} uses the entries of ${name} from your environment in addition to its own.`;
    return { set: [name, `${current},${value}`], message };
  }
  const remedy = remedies[own] === undefined ? "" : `: ${remedies[own]} instead`;
  const message = `${name} is ignored, because npm start sets ${name === own ? "it" : own} itself${remedy}.`;
  // The service inherits the caller's environment; an empty variable counts as not set.
  return name === own ? { message } : { set: [name, ""], message };
}
