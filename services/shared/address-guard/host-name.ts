import { commaSeparated } from "../config/variable-types.ts";
import { publicNeeded } from "./non-public-kind.ts";

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
 * Why it can be no name of the DNS (RFC 1035, with underscores; no top level begins with a digit).
 *
 * @param name in lower case, without a final dot
 * @returns what it is, as `no host`, or undefined
 */
export function hostNameProblem(name: string): string | undefined {
  if (name.length > 253 || !/^([a-z0-9_-]{1,63}\.)*[a-z-][a-z0-9-]{0,62}$/.test(name)) return "no host";
  const isHyphenOutside = name.split(".").some((part) => part.startsWith("-") || part.endsWith("-"));
  return isHyphenOutside ? "a host whose name has a part that begins or ends with a hyphen" : undefined;
}

/**
 * Why a host name is none of the public DNS.
 *
 * @param name in lower case, without a final dot
 * @returns what it is, as `a host that is not public (internal): one that is …`, or undefined
 */
export function internalName(name: string): string | undefined {
  const ending = internalEndings.find((known) => name === known || name.endsWith(`.${known}`));
  if (ending !== undefined) return `a host that is not public (${ending}): ${publicNeeded}`;
  return name.includes(".") ? undefined : `a host without a domain: ${publicNeeded}`;
}

/** Whether a configuration names the host. @param patterns one with a leading dot stands for all names that end so */
export function isNamedBy(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => (pattern.startsWith(".") ? name.endsWith(pattern) : name === pattern));
}

/** Host names of a configuration, separated by commas. */
export const hostList = commaSeparated
  .transform((entries) => entries.map((entry) => withoutFinalDot(entry.toLowerCase())))
  .refine(
    (entries) => entries.every((entry) => hostNameProblem(entry.replace(/^\./, "")) === undefined),
    "must list host names",
  );
