import { readFile } from "node:fs/promises";
import { defineCommand } from "../../command/command.ts";
import { givenPath } from "../../command/given-path.ts";
import { verifySignature } from "./verify-signature.ts";

export const webhookVerify = defineCommand<Record<"secretFile" | "bodyFile" | "signature", string>>({
  name: "webhook verify",
  changes: "nothing",
  isOffline: true,
  description: "verify the signature of a message offline; if the signature is invalid, print why and exit with code 1",
  configure: (command) =>
    command
      .requiredOption("--secret-file <file>", "file with the signing secret; a final line break is ignored")
      .requiredOption("--body-file <file>", "file with the raw body, byte for byte as received")
      .requiredOption(
        "--signature <value>",
        "value of X-Service-Signature, X-Service-Signature-Next or X-Service-Signature-Previous",
      ),
  async run({ output, options: { secretFile, bodyFile, signature } }) {
    const verdict = verifySignature({
      secretFile: await readFile(givenPath(secretFile)),
      body: await readFile(givenPath(bodyFile)),
      signature,
    });
    if (verdict === "valid") return output.result({ isValid: true }, "valid");
    output.result({ isValid: false, problems: verdict }, "not valid");
    if (!output.isJson) verdict.forEach(output.note);
    process.exitCode = 1;
  },
});
