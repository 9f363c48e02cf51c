import { createHmac } from "node:crypto";
import { readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import { packClient } from "../../deploy/client-package/pack-client.ts";
import { packPythonClient } from "../../deploy/client-package/pack-python-client.ts";
import { findOnPath } from "../../deploy/local/servers/executable.ts";
import { acceptsConnections } from "../../deploy/local/stack/service-process.ts";
import { loadGuide } from "../../services/edge/docs/guide-pages.ts";
import { type Snippet, snippetsOf } from "../client/guide-snippets.ts";
import { requirePython, setupFailure, skip } from "../client/runtimes.ts";
import { eventually } from "../harness/eventually.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { inStore } from "../harness/in-store.ts";
import { orderItems } from "../harness/issue-items.ts";
import { createStoreClient, openProcessStack } from "../harness/stack/process-stack.ts";

// The edge serves the package that exists when it starts.
const clientPackage = await packClient();
const setup = { env: process.env, log: () => undefined, signal: undefined };
const pythonClient = await packPythonClient({}, setup).catch(setupFailure);
const stack = await openProcessStack({ REGISTRY_RATE_LIMIT: "1000" });
const { storeId, apiKey, client } = await createStoreClient(stack);
await stack.issuing.issueCertificates({ items: orderItems(130) }, inStore(storeId));

const listening = await stack.admin.createListenToken({}, inStore(storeId));

const pages = Object.fromEntries(loadGuide().map((page) => [page.slug, snippetsOf(page)]));
const frameworks = ["express", "koa", "fastify"];
const secret = "crs_try";
const commandsLimitMs = 240_000;

/** Returns a page's code blocks that need a program or package; undefined: those that need none. */
const needing = (page: string, needs: string | undefined) =>
  (pages[page] ?? []).filter((snippet) => snippet.needs === needs);

/** Where a reader pastes commands. */
interface Terminal {
  /** The shell's program. Default: bash. */
  readonly shell?: string;
  /** Folder to search for programs before the PATH. */
  readonly programs?: string;
  /** Variables of the environment. */
  readonly variables?: NodeJS.ProcessEnv;
}

/**
 * Saves the files of a page and pastes its commands into one shell, in order.
 *
 * @returns the output of the shell
 */
async function paste(
  snippets: readonly Snippet[],
  folder: string,
  { shell = "bash", programs = "", variables = {} }: Terminal = {},
): Promise<string> {
  const commands = await Promise.all(
    snippets.map(async ({ file, text }) => {
      if (file === undefined) return text;
      // A copied snippet ends without a line break.
      await writeFile(path.join(folder, file), text);
      return "";
    }),
  );
  // The placeholders that a reader replaces.
  const script = commands
    .join("\n")
    .replace("https://registry.example", stack.baseUrl)
    .replace("crk_…", apiKey)
    .replace("crl_…", listening.token)
    .replace("crs_…", listening.signingSecret);
  const PATH = [programs, process.env.PATH].filter(Boolean).join(path.delimiter);
  const env = {
    REGISTRY_URL: stack.baseUrl,
    REGISTRY_API_KEY: apiKey,
    WEBHOOK_SECRET: secret,
    PATH,
    no_proxy: "127.0.0.1",
    ...variables,
  };
  // Ends the programs in the background, too. The shell is the leader of its process group, because it is detached.
  const input = `trap 'trap "" TERM; kill -- -$$' EXIT\nset -eu -o pipefail\n${script}\n`;
  const ended = await execa(shell, [], {
    cwd: folder,
    env,
    input,
    all: true,
    reject: false,
    detached: true,
    timeout: commandsLimitMs,
  });
  expect(ended.exitCode, ended.all).toBe(0);
  return ended.all;
}

async function openFolder(): Promise<string> {
  const folder = await openTemporaryFolder("guide", onTestFinished);
  return folder;
}

/** Creates a project with the client library and links to this repository's npm packages. @returns its folder */
async function openProject(...packages: readonly string[]): Promise<string> {
  const folder = await openFolder();
  await execa("npm", ["init", "-y"], { cwd: folder });
  await execa("npm", ["install", "--offline", "--no-audit", "--no-fund", clientPackage], { cwd: folder });
  const modules = path.join(import.meta.dirname, "../../node_modules");
  // Linked rather than installed, because an installation would need the npm registry.
  for (const name of packages)
    await execa("ln", ["-s", path.join(modules, name), path.join(folder, "node_modules", name)]);
  return folder;
}

test("the address of the libraries without a version names those with one, whose content never changes", async () => {
  const refused = await fetch(`${stack.baseUrl}/docs/client.tgz`);
  expect(refused.status).toBe(410);
  const addresses = (await refused.text()).match(/^\/docs\/.+$/gm) ?? [];
  const packed = typeof pythonClient === "string" ? [clientPackage] : [clientPackage, ...Object.values(pythonClient)];
  expect(addresses).toEqual(expect.arrayContaining(packed.map((file) => `/docs/${path.basename(file)}`)));
  for (const address of addresses) {
    const archive = await fetch(`${stack.baseUrl}${address}`);
    const type = address.endsWith(".whl") ? "application/zip" : "application/gzip";
    expect([archive.status, archive.headers.get("content-type")], address).toEqual([200, type]);
    expect(archive.headers.get("cache-control")).toContain("immutable");
    const file = path.join(path.dirname(clientPackage), path.basename(address));
    expect(Buffer.from(await archive.arrayBuffer())).toEqual(await readFile(file));
  }
});

test.for(["bash", "zsh"])(
  "quick start in %s: lists a page, copies the store, and verifies a webhook message",
  {
    timeout: commandsLimitMs,
  },
  async (name, context) => {
    const folder = await openFolder();
    const terminal = name === "bash" ? {} : await openForeignTerminal(name, context);
    const startedAt = performance.now();
    const output = await paste(pages["quick-start"] ?? [], folder, terminal);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stdout.write(`quick start in ${name}: ${seconds} seconds\n`);
    expect(output).toContain('"next_cursor":"');
    expect(output).toContain("read 130 certificates; the copy has 130");
    expect(output).toContain("read 0 certificates; the copy has 130");
    expect(output).toMatch(/ready\nListening until .+\ntst_\w+\nrevoked 000000\n401$/);
    expect(seconds).toBeLessThan(180);
  },
);

/**
 * Opens a terminal like one of macOS: another shell than bash 5, and no GNU tools. Skips the test where this is not
 * possible.
 */
async function openForeignTerminal(name: string, context: TestContext): Promise<Terminal> {
  const [shell, busybox] = await Promise.all([name, "busybox"].map((program) => findOnPath(program, process.env)));
  if (shell === undefined || busybox === undefined) return skip(context, `${name} or busybox is not on the PATH`);
  const programs = await openFolder();
  const { stdout } = await execa(busybox, ["--list"]);
  for (const tool of stdout.split("\n")) await symlink(busybox, path.join(programs, tool));
  // Those that macOS has, or that the reader has installed.
  for (const tool of ["curl", "node", "npm"]) {
    const found = await findOnPath(tool, process.env);
    if (found !== undefined) await symlink(found, path.join(programs, tool));
  }
  return { shell, variables: { PATH: programs } };
}

test("the response in the quick start has exactly the members of a real response, except within the edition", async () => {
  const page = loadGuide().find(({ slug }) => slug === "quick-start");
  const [, shown = ""] = /```json\n([\s\S]+?)```/.exec(page?.markdown ?? "") ?? [];
  const membersOf = (value: unknown): unknown =>
    typeof value === "object" && value !== null
      ? Object.entries(value).map(([name, one]) => [name, membersOf(one)])
      : "";
  const [certificate] = await client.all({ limit: "1" });
  const { certificates, ...rest } = JSON.parse(shown);
  expect(Object.keys(rest)).toEqual(["next_cursor"]);
  expect(membersOf({ ...certificates[0], edition: null })).toEqual(membersOf({ ...certificate, edition: null }));
});

test("keep a copy current: the SQLite, custom-store and Python snippets copy all certificates", async (context) => {
  const python = await findOnPath("python3", process.env);
  const usesPython = ({ text, language }: Snippet) => language === "python" || text.startsWith("python3");
  const snippets = needing("sync", undefined);
  const output = await paste(
    snippets.filter((snippet) => python !== undefined || !usesPython(snippet)),
    await openProject(),
  );
  expect(output.match(/read: 130/g)).toHaveLength(2);
  expect(output).toContain("status: 'active', total: 130");
  if (python === undefined) return skip(context, "Python is not installed");
  expect(output).toContain("130 certificates, newest change 20");
});

test("errors, limits and libraries: the examples print the expected errors, limits and certificates", async () => {
  const project = await openProject();
  const errors = await paste(pages.errors ?? [], project);
  expect(errors).toContain('{"error":"bad_request","message":"limit is not a valid page size.');
  expect(errors).toMatch(/bad_request: order is neither .* \(400 bad_request, request \S+\)/);
  expect(await paste(pages.limits ?? [], project)).toMatch(/RateLimit-Policy: "default";q=1000;w=60/i);
  const output = await paste(needing("libraries", undefined), await openFolder());
  expect(output.match(/^0\d{5} /gm)).toHaveLength(130);
  expect(output).toMatch(/^one: 0\d{5}$/m);
});

test("libraries: a generated Python client reads a page and reports errors", { timeout: 400_000 }, async (context) => {
  const folder = await openFolder();
  const programs = await createEnvironment(folder, context);
  const output = await paste(needing("libraries", "openapi-python-client"), folder, { programs });
  expect(output.match(/^0\d{5} active Ada Example$/gm)).toHaveLength(100);
  expect(output).toMatch(/^not_found$/m);
  const env = { REGISTRY_URL: stack.baseUrl, REGISTRY_API_KEY: "crk_wrong" };
  const refused = await execa(`${programs}/python`, ["first_page.py"], { cwd: folder, env, reject: false });
  expect(refused).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(/^unauthorized: .+\.$/) });
});

test("Python: the package installs as the guide says, lists, copies, and receives a webhook message", {
  timeout: 400_000,
}, async (context) => {
  if (typeof pythonClient === "string") return skip(context, `the package cannot be built: ${pythonClient}`);
  const folder = await openFolder();
  const programs = await createEnvironment(folder, context);
  // The guide installs the package from the service, not by its name, which a stranger could have registered.
  const variables = { PIP_NO_INDEX: "1" };
  const needs = "certificate-registry-client";
  const output = await paste(needing("libraries", needs), folder, { programs, variables });
  expect(output.match(/^0\d{5} Ada Example$/gm)).toHaveLength(130);
  expect(output).toMatch(/^one: 0\d{5}$/m);
  const copied = await paste(needing("sync", needs), folder, { programs });
  expect(copied).toContain("SyncResult(read=130, removed=0, was_restored=False)\n[('active', 130)]");
  const [receiver] = needing("webhooks", needs);
  await writeFile(path.join(folder, "receiver.py"), receiver?.text ?? "");
  await expectReceives(`${programs}/python`, "receiver.py", folder, 8005);
});

test("webhooks: each client-library receiver accepts a signed message and refuses a forged one", async () => {
  const project = await openProject(...frameworks);
  const receivers = (pages.webhooks ?? []).filter(({ port }) => port !== undefined);
  expect(receivers).toHaveLength(4);
  for (const { file = "", text, port = 0 } of receivers) {
    await writeFile(path.join(project, file), text);
    await expectReceives("node", file, project, port);
  }
});

/** Starts a receiver, and expects that it accepts a signed message and refuses a forged one. */
async function expectReceives(command: string, file: string, cwd: string, port: number): Promise<void> {
  const receiver = execa(command, [file], { cwd, env: { WEBHOOK_SECRET: secret }, reject: false });
  try {
    await eventually(async () => expect(await acceptsConnections(port)).toBe(true));
    await expectVerifies((init) => fetch(`http://127.0.0.1:${port}/`, init));
  } finally {
    receiver.kill();
  }
  expect((await receiver).stdout).toBe("issued crt_1");
}

/**
 * Creates a virtual environment of Python; skips the test where this is not possible.
 *
 * @returns the folder of its programs
 */
async function createEnvironment(folder: string, context: TestContext): Promise<string> {
  const python = await requirePython(context);
  const { failed } = await execa(python, ["-m", "venv", `${folder}/venv`], { reject: false, timeout: 60_000 });
  return failed ? skip(context, "the Python on the PATH has no venv") : `${folder}/venv/bin`;
}

test("webhooks: the fetch-style receiver accepts a signed message and refuses a forged one", async () => {
  const project = await openProject();
  const worker = (pages.webhooks ?? []).find(({ file }) => file === "worker.mjs");
  await writeFile(path.join(project, "worker.mjs"), worker?.text ?? "");
  const program = `
    import worker from "./worker.mjs";
    const [url, ...requests] = JSON.parse(process.argv[1]);
    const statuses = [];
    for (const init of requests) statuses.push((await worker.fetch(new Request(url, init))).status);
    console.log(JSON.stringify(statuses));`;
  const requests: RequestInit[] = [];
  await expectVerifies(async (init) => {
    requests.push(init);
    return new Response(null, { status: requests.length === 1 ? 204 : 401 });
  });
  const args = ["--input-type=module", "--eval", program, JSON.stringify(["https://receiver.example/", ...requests])];
  const { stdout } = await execa("node", args, { cwd: project, env: { WEBHOOK_SECRET: secret } });
  expect(stdout).toBe("issued crt_1\n[204,401]");
});

/** Expects 204 for a signed message, and 401 for the same message signed with another key. */
async function expectVerifies(send: (init: RequestInit) => Promise<Response>): Promise<void> {
  const [certificate] = await client.all({ limit: "1" });
  const message = { version: 2, event: "issued", shop: "s.example", occurredAt: "2026-03-01T12:00:00.000Z" };
  const body = JSON.stringify({ ...message, certificate: { ...certificate, id: "crt_1" } });
  for (const [key, status] of [
    [secret, 204],
    ["another", 401],
  ] as const) {
    const signature = `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
    const headers = { "content-type": "application/json", "x-service-signature": signature };
    expect((await send({ method: "POST", headers, body })).status).toBe(status);
  }
}

// deploy/receivers/verify-signature.test.ts runs these files with test vectors.
test.each(
  (pages.webhooks ?? [])
    .filter(({ file }) => file?.startsWith("verify-signature"))
    .map(({ file, text }) => [file, text]),
)("webhooks: %s equals the tested receiver", async (file, text) => {
  expect(`${text}\n`).toBe(await readFile(`deploy/receivers/${file}`, "utf8"));
});
