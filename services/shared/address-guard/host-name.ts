import { commaSeparated } from "../config/load-config.ts";

/**
 * Endings of names that mean something only inside a network, or in a cluster: RFC 6761, RFC 6762 (with its appendix G),
 * RFC 8375, ICANN's `.internal`, Kubernetes.
 */
const internalEndings = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "home.arpa",
  "lan",
  "svc",
];

/** A host name without the dot that may end it. */
export function withoutFinalDot(hostname: string): string {
  return hostname.replace(/\.$/, "");
}

/**
 * Whether it can be a name of the DNS (RFC 1035, with underscores; no top level begins with a digit).
 *
 * @param name in lower case, without a final dot
 */
export function isHostName(name: string): boolean {
  return name.length <= 253 && /^([a-z0-9_-]{1,63}\.)*[a-z][a-z0-9-]{0,62}$/.test(name);
}

/**
 * Why a host name is none of the public DNS.
 *
 * @param name in lower case, without a final dot
 * @returns what it is, as `a host that is not public (internal)`, or undefined
 */
export function internalName(name: string): string | undefined {
  const ending = internalEndings.find((known) => name === known || name.endsWith(`.${known}`));
  if (ending !== undefined) return `a host that is not public (${ending})`;
  return name.includes(".") ? undefined : "a host without a domain";
}

/** Whether a configuration names the host. @param patterns one with a leading dot stands for all names that end so */
export function isNamedBy(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => (pattern.startsWith(".") ? name.endsWith(pattern) : name === pattern));
}

/** Host names of a configuration, separated by commas. */
export const hostList = commaSeparated
  .transform((entries) => entries.map((entry) => withoutFinalDot(entry.toLowerCase())))
  .refine(
    (entries) => entries.every((entry) => isHostName(entry.replace(/^\./, ""))),
    "names something that is no host name",
  );
