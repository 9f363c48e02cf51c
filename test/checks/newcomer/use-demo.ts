import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import { z } from "zod";
import { shopProducts } from "../../../deploy/local/demo-shop/shop/product.ts";
import { eventually } from "../../harness/eventually.ts";
import type { RunningDemo } from "./running-demo.ts";

type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

const requests = 130;
const perMinute = 120;
const againWithinMs = 65_000;
const arrivesWithinMs = 60_000;
const listSchema = z.object({ certificates: z.array(z.object({ id: z.string() })) });
const importSchema = z.object({ issued: z.number(), alreadyIssued: z.number() });
const receivedSchema = z.object({
  verified: z.boolean(),
  body: z.string().transform((text): unknown => JSON.parse(text)),
});
const messageSchema = z.object({
  event: z.string(),
  certificate: z.object({ id: z.string(), order: z.object({ id: z.string().nullable() }).nullable() }),
});
const orderSchema = z.object({ orderId: z.number() });

/**
 * Uses a running demo as its printed text invites to.
 *
 * @param checkout the folder in which `npm start` runs
 * @returns `verifyKept`, which checks that a later run still has the certificate that this one has issued
 * @throws Error with what was seen at the first step that fails
 */
export async function useDemo(demo: RunningDemo, checkout: string, env: NodeJS.ProcessEnv, step: Step) {
  const { facts } = demo;
  const certctl = async (...args: string[]) => {
    const options = { cwd: checkout, env, extendEnv: false, stdin: "ignore" } as const;
    return (await execa("npm", ["run", "--silent", "certctl", "--", ...args], options)).stdout;
  };

  await step("import the demo's orders again", async () => {
    // Exit code 3, because some rows of the demo's export are unusable on purpose.
    const args = [
      "run",
      "--silent",
      "certctl",
      "--",
      "--json",
      "import",
      "orders",
      "deploy/local/demo/orders_export.csv",
    ];
    const { stdout, exitCode } = await execa("npm", args, {
      cwd: checkout,
      env,
      extendEnv: false,
      stdin: "ignore",
      reject: false,
    });
    if (exitCode !== 3) throw new Error(`The second import of the same orders ended with exit code ${exitCode}.`);
    const [result = ""] = stdout.split("\n");
    const { issued, alreadyIssued } = importSchema.parse(JSON.parse(result));
    if (issued !== 0 || alreadyIssued === 0) throw new Error(`The second import of the same orders printed ${result}`);
  });

  await step("list certificates", async () => {
    const certificates = await list(facts, "limit=2");
    if (certificates.length !== 2) throw new Error(`A page of two certificates has ${certificates.length}.`);
  });

  const webhook = (of: (message: z.output<typeof messageSchema>) => boolean) =>
    eventually(() => requireMessage(path.join(facts.log_folder, "received.jsonl"), of), {
      withinMs: arrivesWithinMs,
      everyMs: 100,
    });

  const issued = await step("issue a certificate; its webhook arrives and is genuine", async () => {
    const buyer = ["--title", "Poster", "--name", "Ada", "--email", "ada@example.com"];
    const [id = "", serial = ""] = (await certctl("certificate", "issue", ...buyer)).split(/\s+/);
    await webhook(({ event, certificate }) => event === "issued" && certificate.id === id);
    return { id, serial };
  });

  await step("order in the demo shop; the certificate arrives", async () => {
    const [product] = shopProducts;
    const origin = new URL(facts.demo_shop_url).origin;
    const response = await fetch(`${origin}/orders`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ productId: product?.id, quantity: 1 }),
    });
    const { orderId } = orderSchema.parse(JSON.parse(await textOf(response, 200)));
    await webhook(({ event, certificate }) => event === "issued" && certificate.order?.id === String(orderId));
  });

  await step("open the settings with the printed link", () => openSettings(demo));

  await step(`${requests} requests: at most ${perMinute} a minute succeed, the others get 429`, async () => {
    const statuses: number[] = [];
    for (let count = 0; count < requests; count++)
      statuses.push((await get(`${facts.base_url}/v1/certificates?limit=1`, facts.api_key)).status);
    const countOf = (status: number) => statuses.filter((other) => other === status).length;
    const seen = `${countOf(200)} responses had status 200, ${countOf(429)} had 429, of ${requests}`;
    if (countOf(429) === 0 || countOf(200) > perMinute || countOf(200) + countOf(429) < requests) throw new Error(seen);
  });

  await step(`200 again within ${againWithinMs / 1_000} s`, () => list(facts, "limit=1"));

  const verifyKept = async (later: RunningDemo) => {
    if (later.facts.api_key !== facts.api_key) throw new Error("The second start created another API key.");
    const [kept] = await list(later.facts, `serial=${issued.serial}`);
    if (kept?.id !== issued.id) throw new Error(`The second start lists ${kept?.id} instead of ${issued.id}.`);
  };
  return { verifyKept };
}

const get = (url: string, apiKey: string) =>
  fetch(url, { headers: { authorization: `Bearer ${apiKey}` }, signal: AbortSignal.timeout(30_000) });

/** Lists certificates, after a pause while the limit is used up. @throws Error when it is not free again in time */
async function list({ base_url, api_key }: RunningDemo["facts"], query: string) {
  const deadline = performance.now() + againWithinMs;
  for (;;) {
    const response = await get(`${base_url}/v1/certificates?${query}`, api_key);
    if (response.status !== 429 || performance.now() > deadline)
      return listSchema.parse(JSON.parse(await textOf(response, 200))).certificates;
    await delay(1_000);
  }
}

/** Returns the body of a response. @throws Error with the response if it has another status */
async function textOf(response: Response, status: number): Promise<string> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.url} returned ${response.status}: ${text}`);
  return text;
}

/** @throws Error unless the demo receiver has logged such a message, with a valid signature */
async function requireMessage(file: string, of: (message: z.output<typeof messageSchema>) => boolean): Promise<void> {
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  const last = lines.slice(-20).map((line) => receivedSchema.parse(JSON.parse(line)));
  const found = last.find(({ body }) => of(messageSchema.parse(body)));
  if (found === undefined) throw new Error(`No such message among the last ones of ${lines.length}.`);
  if (!found.verified) throw new Error(`The message is not verified: ${JSON.stringify(found)}`);
}

/** Signs in with the link that `npm start` has printed, as a browser does, and opens the first page. */
async function openSettings(demo: RunningDemo): Promise<void> {
  const [link] = /http:\S+\/settings\/sign-in\/\S+/.exec(demo.output()) ?? [];
  if (link === undefined) throw new Error("npm start has printed no link to the settings.");
  await textOf(await fetch(link), 200);
  const signIn = await fetch(link, {
    method: "POST",
    headers: { origin: new URL(link).origin },
    body: new URLSearchParams(),
    redirect: "manual",
  });
  await textOf(signIn, 303);
  const cookie = signIn.headers.getSetCookie().map((line) => line.split(";")[0]);
  const url = new URL(signIn.headers.get("location") ?? "", link);
  const page = await textOf(await fetch(url, { headers: { cookie: cookie.join("; ") } }), 200);
  if (!page.includes("Linden Press")) throw new Error(`The settings do not show the store: ${page.slice(0, 500)}`);
}
