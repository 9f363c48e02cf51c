import type { JsonSchema } from "./service-variables.ts";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const quantity = "^[0-9]+([.][0-9]+)?([mkMGTPE]|[KMGTPE]i|[eE][0-9]+)?$";
const field = "[0-9A-Za-z*/,?-]+";
const labelValue = { type: "string", maxLength: 63, pattern: "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$" };
const ownLabels = ["name", "instance", "component", "part-of", "managed-by", "version"].map(
  (name) => `app.kubernetes.io/${name}`,
);
const amounts = {
  type: ["object", "null"],
  additionalProperties: { type: ["string", "number", "null"], pattern: quantity },
};

/**
 * Schemas of texts that several values contain, as Kubernetes requires them. `@schema {"$ref": "#/$defs/port"}` in
 * values.yaml refers to one; the empty string stands for a value that is not set. Null removes a default of `services`
 * or `pods`.
 */
export const definitions: Readonly<Record<string, JsonSchema>> = {
  hostName: { type: "string", maxLength: 253, pattern: `^(${label}([.]${label})*)?$` },
  objectName: { type: ["string", "null"], maxLength: 253, pattern: `^(${label}([.]${label})*)?$` },
  key: { type: "string", maxLength: 253, pattern: "^[-._a-zA-Z0-9]+$" },
  repository: { type: "string", pattern: "^([a-z0-9][a-z0-9._-]*(:[0-9]+)?(/[a-z0-9][a-z0-9._-]*)*)?$" },
  tag: { type: "string", pattern: "^([A-Za-z0-9_][A-Za-z0-9._-]{0,127})?$" },
  digest: { type: "string", pattern: "^(sha256:[0-9a-f]{64})?$" },
  port: { type: "integer", minimum: 1, maximum: 65_535 },
  quantity: { type: "string", pattern: quantity },
  cron: {
    type: "string",
    pattern: `^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|${field}( +${field}){4})$`,
  },
  labels: {
    type: ["object", "null"],
    // The chart sets these labels; selectors contain some of them.
    properties: Object.fromEntries([...ownLabels, "helm.sh/chart"].map((name) => [name, false])),
    additionalProperties: labelValue,
  },
  annotations: { type: ["object", "null"], additionalProperties: { type: ["string", "null"] } },
  resources: {
    type: ["object", "null"],
    properties: { requests: amounts, limits: amounts, claims: { type: ["array", "null"] } },
    additionalProperties: false,
  },
  objects: { type: ["array", "null"], items: { type: "object" } },
  environment: {
    type: ["array", "null"],
    items: {
      type: "object",
      properties: { name: { type: "string", minLength: 1 }, value: { type: "string" } },
      required: ["name"],
    },
  },
  namedObjects: {
    type: ["array", "null"],
    items: { type: "object", properties: { name: { type: "string", minLength: 1 } }, required: ["name"] },
  },
};
