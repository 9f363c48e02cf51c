import { type Reason, reason } from "../reasons/reason.ts";

const portMax = 65_535;

/**
 * Checks the port of an https:// URL.
 *
 * @param url the unparsed URL, because the URL parser rejects a port above 65535 without giving a reason
 * @returns why the port is refused; undefined for a valid or missing port
 */
export function portProblem(url: string): Reason | undefined {
  const match = /^https:\/\/(?:[^/?#\\@]*@)?(?:\[[^\]]*\]|[^/?#\\[\]:@]*):(\d+)(?:[/?#\\]|$)/i.exec(url);
  if (match === null) return undefined;
  const port = Number(match[1]);
  return port >= 1 && port <= portMax ? undefined : reason("url_port_invalid", { port });
}
