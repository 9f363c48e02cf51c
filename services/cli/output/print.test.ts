import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { signatureOf } from "#shared/webhook/signature.ts";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";

const program = fileURLToPath(new URL("../main.ts", import.meta.url));
const folder = await openTemporaryFolder("closed-output", afterAll);
const [secretFile, bodyFile] = [path.join(folder, "secret"), path.join(folder, "body")];
await writeFile(secretFile, "whsec_a");
await writeFile(bodyFile, "{}");
const signature = signatureOf(Buffer.from("whsec_a"), Buffer.from("{}"));
const files = ["--secret-file", secretFile, "--body-file", bodyFile];

test.each([
  ["help", ["--help"]],
  ["a command", ["webhook", "verify", ...files, "--signature", signature]],
])(
  "%s exits with code 0 and prints no error if the reader of standard output has closed the pipe",
  async (_name, args) => {
    const certctl = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    certctl.stdout.destroy();
    let error = "";
    certctl.stderr.setEncoding("utf8").on("data", (text: string) => {
      error += text;
    });
    const [code, signal] = await once(certctl, "close");
    expect({ code, signal, error }).toEqual({ code: 0, signal: null, error: "" });
  },
);
