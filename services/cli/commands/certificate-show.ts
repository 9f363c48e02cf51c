import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { findCertificate } from "../registry-client/find-certificate.ts";
import { print, runs } from "./command.ts";

/** `certctl certificate show <id or serial>` */
export function addCertificateShow(parent: Command): void {
  const command = parent
    .command("show")
    .description("print a certificate's public JSON, as the API shows it")
    .argument("<id or serial>", "a certificate of the store");
  runs(command, async (client, { store }, [selector = ""]) => {
    const { json } = await findCertificate(client, await chooseStore(client, store), selector);
    print(JSON.stringify(json, undefined, 2));
  });
}
