import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { serveHttp } from "../../test/harness/listeners/serve-http.ts";

const program = path.join(import.meta.dirname, "bin.ts");

/** Serves one message to a listener, and refuses its next request. */
async function serveMessage(): Promise<string> {
  let requests = 0;
  return serveHttp((_request, response) => {
    const isFirst = ++requests === 1;
    const page = {
      messages: [{ headers: { "X-Service-Delivery": "tst_1" }, body: "{}" }],
      next: 1,
      missed: 0,
      signing_secret: "crs_1",
      expires_at: new Date(0).toISOString(),
    };
    response.writeHead(isFirst ? 200 : 401, { "Content-Type": "application/json" });
    response.end(JSON.stringify(isFirst ? page : { error: "unauthorized", message: "The listen token is unknown." }));
  });
}

function start(baseUrl: string, args: readonly string[]) {
  const env = { ...process.env, REGISTRY_URL: baseUrl, REGISTRY_LISTEN_TOKEN: "crl_1" };
  return spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"], env });
}

async function run(baseUrl: string, args: readonly string[]) {
  const started = start(baseUrl, args);
  const [out, error, [code]] = await Promise.all([text(started.stdout), text(started.stderr), once(started, "close")]);
  return { out, error, code };
}

test.each(["--help", "-h", "listen --help"])("prints its usage to standard output and succeeds: %s", async (words) => {
  expect(await run("", words.split(" "))).toEqual({ out: expect.stringContaining("Usage:"), error: "", code: 0 });
});

test.each(["", "send", "trigger", "listen --to http://localhost", "trigger --forward-to=http://localhost"])(
  "refuses other arguments with its usage on standard error: %s",
  async (words) => {
    expect(await run("", words.split(" "))).toEqual({ out: "", error: expect.stringContaining("Usage:"), code: 2 });
  },
);

test.each([
  ["an argument of its own", (url: string) => ["--forward-to", url]],
  ["the option's argument", (url: string) => [`--forward-to=${url}`]],
])("forwards messages to the URL in %s", async (_name, optionOf) => {
  const received: (string | undefined)[] = [];
  const local = await serveHttp((request, response) => {
    received.push(request.url);
    response.writeHead(204).end();
  });
  const { out, error, code } = await run(await serveMessage(), ["listen", ...optionOf(`${local}/hook?a=b`)]);
  expect({ error, code }).toEqual({ error: "The listen token is unknown. (401 unauthorized)\n", code: 1 });
  expect(out).toContain("tst_1  -> 204");
  expect(received).toEqual(["/hook?a=b"]);
});

test("ends quietly once the reader of standard output has closed the pipe", async () => {
  const listener = start(await serveMessage(), ["listen"]);
  listener.stdout.destroy();
  const [error, [code, signal]] = await Promise.all([text(listener.stderr), once(listener, "close")]);
  expect({ error, code, signal }).toEqual({ error: "", code: 0, signal: null });
});
