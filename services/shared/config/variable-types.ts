import { z } from "zod";

/** A whole number within bounds, both inclusive. */
export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number(error).int(error).min(min, error).max(max, error);
}

/** A TCP port to listen on; 0 selects a free port. */
export const portNumber = wholeNumber(0, 65_535);

/** A duration in milliseconds: at least 1, at most a day. */
export const milliseconds = wholeNumber(1, 86_400_000);

/** A duration in milliseconds: from 0 to ten minutes. */
export const delayMs = wholeNumber(0, 600_000);

/** A comma-separated list of strings. Trims the entries, and drops empty ones. */
export const commaSeparated = z.string().transform((text) =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ""),
);

/** A comma-separated list with at least one entry. @param entry what the error message calls an entry */
export function nonEmptyList(entry: string) {
  return commaSeparated.refine((entries) => entries.length > 0, `must name at least one ${entry}`);
}

/** The path of a file. Default: none. */
export const file = z.string().optional();

/** One of several words. */
export function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, `must be one of ${words.join(", ")}`);
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** The least severe level that a service logs. Default `info`. */
export const logLevel = oneOf(logLevels)
  .default("info")
  .describe("Least severe level that is logged: trace, debug, info, warn, error, fatal or silent");

/** The registry's gRPC address, in a form that grpc-js can resolve. */
export const registryAddress = z
  .string()
  .regex(/^(?:dns:\/\/\/)?[^\s/]+:[0-9]{1,5}$/, "must be host:port or dns:///host:port")
  .describe(
    "gRPC address of the registry: host:port or dns:///host:port; calls are balanced over all addresses of the host",
  );

/** Marks a variable that may contain a password: `<variable>_FILE` may name a file with the value instead. */
export function readableFromFile<Type extends z.ZodType>(type: Type): Type {
  return type.meta({ ...type.meta(), readableFromFile: true });
}

/** Returns whether a variable is marked by {@link readableFromFile}. */
export function isReadableFromFile(type: z.core.$ZodType): boolean {
  return z.globalRegistry.get(type)?.readableFromFile === true;
}

/** Returns the name of the variable that may name a file with the value of `variable`. */
export function fileVariable(variable: string): string {
  return `${variable}_FILE`;
}

const natsServer = String.raw`\s*((nats|tls)://)?[^\s/,]+/?\s*`;

/** Addresses of the NATS servers, at least one; they may contain a password. */
export const natsServers = readableFromFile(
  z
    .string()
    .regex(new RegExp(`^${natsServer}(,${natsServer})*(,\\s*)?$`), "must list servers such as nats://host:4222")
    .pipe(commaSeparated)
    .describe("NATS servers, comma-separated"),
);

/** The address that a service listens on, for all of its ports. Default: all IPv4 addresses. */
export const listenHost = z
  .string()
  .refine((host) => /^[\w.:%-]+$/.test(host), "must be an IP address or a host name")
  .default("0.0.0.0")
  .describe("Address that the service listens on, for all of its ports; in a cluster with IPv6 alone, ::");
