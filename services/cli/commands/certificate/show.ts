import { defineCommand } from "../../command/command.ts";
import { findCertificate } from "../../registry-client/find-certificate.ts";

export const certificateShow = defineCommand({
  name: "certificate show",
  changes: "nothing",
  description: "print the public JSON of a certificate, as the API returns it",
  configure: (command) => command.argument("<id or serial>", "id or serial number of a certificate in the store"),
  async run({ selectStore, output, args: [selector = ""] }) {
    const { json } = await findCertificate(await selectStore(), selector);
    output.result(json, JSON.stringify(json, undefined, 2));
  },
});
