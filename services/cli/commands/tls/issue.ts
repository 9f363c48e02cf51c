import { Option } from "commander";
import { peers } from "#shared/rpc/peer-names.ts";
import { defineCommand } from "../../command/command.ts";
import { givenPath } from "../../command/given-path.ts";
import { parseCount, parsePeerDomain } from "../../command/option-values.ts";

interface TlsIssueOptions {
  readonly folder: string;
  readonly domain: string;
  readonly days: number;
  readonly groupReadable?: boolean;
}

export const tlsIssue = defineCommand<TlsIssueOptions>({
  name: "tls issue",
  description: "issue gRPC certificates for registry, edge, notifier and operators from a new authority; works offline",
  changes: "nothing",
  isOffline: true,
  configure: (command) =>
    command
      .requiredOption(
        "--folder <folder>",
        "folder in which each certificate gets a subfolder; left unchanged if it already contains all certificates",
      )
      .addOption(
        new Option("--domain <domain>", "parent domain of the names in the certificates")
          .argParser(parsePeerDomain)
          .default("certificate-registry.internal"),
      )
      .addOption(new Option("--days <n>", "validity in days").argParser(parseCount).default(3_650))
      .option("--group-readable", "let the files' group read the private keys"),
  async run({ output, options: { folder, domain, days, groupReadable = false } }) {
    // Loaded on demand, because no other command needs the X.509 library.
    const { createPeerCertificates } = await import("./peer-certificates.ts");
    const target = givenPath(folder);
    const isNew = await createPeerCertificates(target, { domain, days, isGroupReadable: groupReadable });
    const names = peers.map((peer) => `${peer}.${domain}`);
    const outcome = isNew ? `issued ${names.join(", ")} in ${target}` : `kept the existing certificates in ${target}`;
    output.result({ folder: target, issued: isNew ? names : [] }, outcome);
  },
});
