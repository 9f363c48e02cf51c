import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  generateStandardSecret,
  standardSignature,
  standardSigningKey,
} from "../../services/shared/webhook/standard-signature.ts";

const target = z.strictObject({ node: z.string(), type: z.literal("main"), index: z.literal(0) });
const workflowSchema = z.strictObject({
  // Without an id, the command `n8n import:workflow` fails.
  id: z.string().min(1),
  name: z.string(),
  nodes: z.array(
    z.strictObject({
      id: z.uuid(),
      name: z.string(),
      type: z.string().regex(/^n8n-nodes-base\./),
      typeVersion: z.number(),
      position: z.tuple([z.number(), z.number()]),
      webhookId: z.uuid().optional(),
      parameters: z.looseObject({}),
    }),
  ),
  connections: z.record(z.string(), z.strictObject({ main: z.array(z.array(target)) })),
  settings: z.strictObject({ executionOrder: z.literal("v1") }),
  active: z.literal(false),
});

const workflow = workflowSchema.parse(JSON.parse(readFileSync(new URL("n8n-workflow.json", import.meta.url), "utf8")));
const nodeOf = (type: string) => workflow.nodes.filter((node) => node.type === `n8n-nodes-base.${type}`);

test("the workflow verifies the signature of the raw body before it accepts an event", () => {
  const names = workflow.nodes.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const linked = Object.values(workflow.connections).flatMap(({ main }) => main.flat().map(({ node }) => node));
  expect([...linked, "Certificate event"].toSorted()).toEqual(names.toSorted());
  const [webhook] = nodeOf("webhook");
  expect(webhook?.parameters).toMatchObject({ httpMethod: "POST", responseMode: "responseNode" });
  // Without rawBody, the node parses the body, and the signature cannot be verified.
  expect(webhook?.parameters.options).toEqual({ rawBody: true });
  const answers = nodeOf("respondToWebhook").map(({ name, parameters }) => [name, parameters.options]);
  expect(answers).toEqual([
    ["Accept", { responseCode: 204 }],
    ["Reject", { responseCode: 401 }],
  ]);
  expect(workflow.connections["Is it valid?"]?.main.map(([branch]) => branch?.node)).toEqual(["Accept", "Reject"]);
});

const code = z.string().parse(nodeOf("code")[0]?.parameters.jsCode);
const secret = generateStandardSecret();
const body = '{"specversion":"1.0","subject":"crt_1"}';

type Result = readonly [{ readonly json: { readonly isValid: boolean; readonly event: unknown } }];

/** Runs the code node as n8n does, with the secret inserted where the code's comment asks for it. */
async function run(change: { body?: string; ageSeconds?: number; key?: string; secret?: string } = {}) {
  const id = "evt_1";
  const timestamp = Math.floor(Date.now() / 1_000) - (change.ageSeconds ?? 0);
  const message = { id, timestamp, body: Buffer.from(body) };
  const signature = standardSignature([standardSigningKey(change.key ?? secret)], message);
  const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signature };
  const $input = { first: () => ({ json: { headers } }) };
  const context = { helpers: { getBinaryDataBuffer: async () => Buffer.from(change.body ?? body) } };
  const configured = code.replace('const secret = "";', `const secret = ${JSON.stringify(change.secret ?? secret)};`);
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  const [{ json }]: Result = await new AsyncFunction("$input", "require", configured).call(
    context,
    $input,
    process.getBuiltinModule,
  );
  return json;
}

test("the code node returns the event from a message with a valid signature", async () => {
  expect(await run()).toEqual({ isValid: true, event: JSON.parse(body) });
});

test.each([
  ["a message with an altered body", { body: `${body} ` }],
  ["a message signed with another secret", { key: generateStandardSecret() }],
  ["an old message", { ageSeconds: 600 }],
  ["a message dated in the future", { ageSeconds: -600 }],
])("the code node rejects %s", async (_name, change) => {
  expect(await run(change)).toEqual({ isValid: false, event: null });
});

test("the code node rejects every message until a secret is entered", async () => {
  expect(await run({ secret: "" })).toEqual({ isValid: false, event: null });
});
