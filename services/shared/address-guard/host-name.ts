import { commaSeparated } from "../config/variable-types.ts";
import { publicHostRemedy } from "./non-public-kind.ts";

/**
 * Domains that exist only inside a network or a cluster, according to RFC 6761, RFC 6762 (with its appendix G),
 * RFC 8375, ICANN (`.internal`), Kubernetes (`svc`) or, for `localdomain`, convention.
 */
const internalDomains = "localhost localdomain local internal intranet private corp home home.arpa lan svc".split(" ");

/** Returns a host name without its optional trailing dot. */
export function withoutFinalDot(hostname: string): string {
  return hostname.replace(/\.$/, "");
}

/**
 * Checks the syntax of a DNS name (RFC 1035, with underscores; no top-level domain begins with a digit).
 *
 * @param name in lower case, without a trailing dot
 * @returns a noun phrase, such as `an invalid host name`, or undefined for a valid name
 */
export function hostNameProblem(name: string): string | undefined {
  if (name.length > 253 || !/^([a-z0-9_-]{1,63}\.)*[a-z-][a-z0-9-]{0,62}$/.test(name)) return "an invalid host name";
  const hasOuterHyphen = name.split(".").some((label) => label.startsWith("-") || label.endsWith("-"));
  return hasOuterHyphen ? "a host name with a label that begins or ends with a hyphen" : undefined;
}

/**
 * Checks that a host name can exist in the public DNS.
 *
 * @param name in lower case, without a trailing dot
 * @returns a noun phrase and a remedy, such as `a host in an internal domain (svc); use a host that …`, or undefined
 * for a public name
 */
export function internalNameProblem(name: string): string | undefined {
  const domain = internalDomains.find((known) => name === known || name.endsWith(`.${known}`));
  if (domain !== undefined) return `a host in an internal domain (${domain}); ${publicHostRemedy}`;
  return name.includes(".") ? undefined : `a host name without a domain; ${publicHostRemedy}`;
}

/**
 * Returns whether a pattern matches the name.
 *
 * @param patterns host names, or suffixes that begin with a dot
 */
export function matchesHostPattern(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => (pattern.startsWith(".") ? name.endsWith(pattern) : name === pattern));
}

/** Configuration type: comma-separated host names and suffixes, converted to lower case without trailing dots. */
export const hostList = commaSeparated
  .transform((entries) => entries.map((entry) => withoutFinalDot(entry.toLowerCase())))
  .refine(
    (entries) => entries.every((entry) => hostNameProblem(entry.replace(/^\./, "")) === undefined),
    "must list host names, or suffixes such as .corp.internal",
  );
