import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { hostAndPort } from "#shared/http/host-and-port.ts";

/** The location of the registry's replicas: fixed addresses, or a name that is resolved repeatedly. */
export type RegistryTarget =
  | { readonly kind: "fixed"; readonly addresses: readonly string[] }
  | { readonly kind: "name"; readonly host: string; readonly port: string };

/**
 * Parses an address in one of three forms of grpc-js: `host:port`, `dns:///host:port`, or a list of IP addresses with
 * ports such as `ipv4:10.0.0.1:9090,10.0.0.2:9090`, which is not validated.
 *
 * @throws Error for an address in another form, such as one without a port
 */
export function parseTarget(address: string): RegistryTarget {
  const [, list] = /^ipv[46]:(?!\/)(.+)$/.exec(address) ?? [];
  if (list !== undefined) return { kind: "fixed", addresses: list.split(",") };
  const [, host, port] = /^(?:dns:(?:\/\/\/)?)?\[?([^\]]+?)\]?:(\d+)$/.exec(address) ?? [];
  if (host === undefined || port === undefined)
    throw new Error(`invalid registry address ${address}: must be host:port or dns:///host:port`);
  return isIP(host) === 0 ? { kind: "name", host, port } : { kind: "fixed", addresses: [hostAndPort(host, port)] };
}

/**
 * Returns the addresses of all replicas as `ip:port`, with IPv6 addresses in brackets.
 *
 * @throws Error if the name cannot be resolved
 */
export async function resolveTarget(target: RegistryTarget): Promise<readonly string[]> {
  if (target.kind === "fixed") return target.addresses;
  const found = await lookup(target.host, { all: true });
  return found.map(({ address }) => hostAndPort(address, target.port));
}
