import { parseArgs } from "node:util";
import { wholeNumber } from "../runner/whole-number.ts";

/** What the load check was asked for. */
export interface LoadOptions {
  readonly help: boolean;
  /** Slow connections at the same time. */
  readonly connections: number;
  /** How many addresses of this machine they come from. */
  readonly addresses: number;
  /** How long good clients are measured, without the slow ones and again with them. */
  readonly seconds: number;
  /** Good clients, each with one request at a time. */
  readonly clients: number;
}

/** How the load check is used. */
export const usage = `npm run check:load -- [options]
  --connections <n>  slow and half-open connections              (default 10000; see ulimit -n)
  --addresses <n>    addresses of 127.0.0.0/8 they come from     (default 20)
  --seconds <n>      how long good clients are measured, twice   (default 20)
  --clients <n>      good clients                                (default 10)`;

/** Reads the arguments. @throws Error naming the argument at fault */
export function parseLoadOptions(args: readonly string[]): LoadOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h", default: false },
      connections: { type: "string", default: "10000" },
      addresses: { type: "string", default: "20" },
      seconds: { type: "string", default: "20" },
      clients: { type: "string", default: "10" },
    },
  });
  const number = (name: string, text: string, max: number) => wholeNumber(name, text, 1, max, usage);
  return {
    help: values.help,
    connections: number("connections", values.connections, 50_000),
    addresses: number("addresses", values.addresses, 250),
    seconds: number("seconds", values.seconds, 300),
    clients: number("clients", values.clients, 100),
  };
}
