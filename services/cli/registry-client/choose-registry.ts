import { localFactsName, projectFolder, readLocalFacts } from "./local-facts.ts";

/** The registry that a command calls. */
export interface ChosenRegistry {
  /** gRPC address, `host:port`. */
  readonly address: string;
  /** The address and, unless the option set it, its source: `127.0.0.1:9090 (CERTCTL_REGISTRY)`. */
  readonly description: string;
}

/** The settings that can contain the address, in order of precedence. Empty and undefined values are ignored. */
interface RegistrySettings {
  /** Value of the option `--registry`. */
  readonly option?: string | undefined;
  /** Value of the variable `CERTCTL_REGISTRY`. */
  readonly variable?: string | undefined;
  /** The context that the command uses, if any. */
  readonly context?: { readonly name: string; readonly registry?: string | undefined } | undefined;
}

/** The default address: a registry on this machine, for example in the same pod or behind a port-forward. */
export const defaultRegistry = "127.0.0.1:9090";

/**
 * Returns the registry to call, from the first source that contains an address: the option, the variable, the context,
 * the last `npm start` of this checkout; otherwise {@link defaultRegistry}. A stopped `npm start` still counts, so that
 * a command never reaches another registry by accident.
 *
 * @param folder the checkout; default: the one that contains certctl
 * @throws Error with the remedy if the file that `npm start` wrote cannot be used
 */
export function chooseRegistry(
  { option, variable, context }: RegistrySettings,
  folder = projectFolder,
): ChosenRegistry {
  if (option) return { address: option, description: option };
  if (variable) return chosen(variable, "CERTCTL_REGISTRY");
  if (context?.registry) return chosen(context.registry, `context ${context.name}`);
  const local = readLocalFacts(folder)?.registry_address;
  return local === undefined ? chosen(defaultRegistry, "the default") : chosen(local, localFactsName);
}

function chosen(address: string, source: string): ChosenRegistry {
  return { address, description: `${address} (${source})` };
}
