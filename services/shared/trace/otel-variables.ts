import { z } from "zod";
import { readableFromFile } from "../config/variable-types.ts";

/**
 * The OpenTelemetry variables that a service reads, to be spread into its `defineConfig`. Their names are standard and
 * have no prefix: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/.
 */
export const otelVariables = {
  otelExporterOtlpEndpoint: z
    .url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" })
    .optional()
    .describe("Base URL of an OTLP/HTTP collector, such as http://collector:4318; without it, nothing is traced"),
  otelExporterOtlpHeaders: readableFromFile(
    z
      .string()
      .refine((text) => text.split(",").every((entry) => /^[^\s=]+=/.test(entry)), "must be a list of key=value")
      .optional()
      .describe("Headers of the requests to the collector: key=value, comma-separated, percent-encoded"),
  ),
  otelTracesSamplerArg: z.coerce
    .number("must be a number from 0 to 1")
    .min(0, "must be a number from 0 to 1")
    .max(1, "must be a number from 0 to 1")
    .default(0.05)
    .describe("Share of requests and operator calls to trace, from 0 to 1"),
};

/** The parsed values of {@link otelVariables}. */
export type OtelSettings = z.output<z.ZodObject<typeof otelVariables>>;
