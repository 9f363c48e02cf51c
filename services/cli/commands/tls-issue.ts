import { Option } from "commander";
import { peers } from "#shared/rpc/peer-names.ts";
import { defineCommand } from "./command.ts";
import { givenPath } from "./given-path.ts";
import { parseCount } from "./option-values.ts";

interface TlsIssueOptions {
  readonly folder: string;
  readonly domain: string;
  readonly days: number;
  readonly groupReadable?: boolean;
}

/** `certctl tls issue` */
export const tlsIssue = defineCommand<TlsIssueOptions>({
  name: "tls issue",
  description: "issue the gRPC certificates of registry, edge, notifier and operators offline, with a new authority",
  changes: "nothing",
  isOffline: true,
  configure: (command) =>
    command
      .requiredOption("--folder <folder>", "folder with a subfolder per certificate; unchanged if it has all of them")
      .option("--domain <domain>", "parent domain of the names in the certificates", "certificate-registry.internal")
      .addOption(new Option("--days <n>", "validity in days").argParser(parseCount).default(3_650))
      .option("--group-readable", "lets the group of the files read the private keys"),
  async run({ output, options: { folder, domain, days, groupReadable = false } }) {
    // Loaded here, because no other command needs the library for certificates.
    const { createPeerCertificates } = await import("../tls/peer-certificates.ts");
    const target = givenPath(folder);
    const isNew = await createPeerCertificates(target, { domain, days, isGroupReadable: groupReadable });
    const names = peers.map((peer) => `${peer}.${domain}`);
    const outcome = isNew ? `issued ${names.join(", ")} in ${target}` : `kept the certificates in ${target}`;
    output.result({ folder: target, issued: isNew ? names : [] }, outcome);
  },
});
