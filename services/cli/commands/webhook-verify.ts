import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { verifySignature } from "../webhooks/verify-signature.ts";
import { givenPath, print, printError, runsLocally } from "./command.ts";

interface VerifyOptions {
  readonly secretFile: string;
  readonly bodyFile: string;
  readonly signature: string;
}

/** `certctl webhook verify` */
export function addWebhookVerify(parent: Command): void {
  const command = parent
    .command("verify")
    .description(
      "say whether a message's signature is valid, and if not, why; needs no registry, ends with 1 if not",
    )
    .requiredOption(
      "--secret-file <file>",
      "holds the signing secret; one line break at its end does not count",
    )
    .requiredOption("--body-file <file>", "holds the raw body, byte for byte as it came")
    .requiredOption("--signature <value>", "the value of X-Service-Signature, -Next or -Previous");
  runsLocally<VerifyOptions>(command, async ({ secretFile, bodyFile, signature }) => {
    const judgement = verifySignature({
      secretFile: await readFile(givenPath(secretFile)),
      body: await readFile(givenPath(bodyFile)),
      signature,
    });
    if (judgement === "valid") return print("valid");
    print("not valid");
    judgement.forEach(printError);
    process.exitCode = 1;
  });
}
