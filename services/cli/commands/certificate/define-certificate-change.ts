import type { JsonObject } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { printable } from "#shared/text/printable.ts";
import { type CertctlCommand, defineCommand } from "../../command/command.ts";
import {
  type IdempotencyKeyOption,
  withIdempotencyKey,
  withYes,
  type YesOption,
} from "../../command/common-options.ts";
import type { Output } from "../../output/output.ts";
import {
  certificateLine,
  type FoundCertificate,
  findCertificate,
  parseCertificate,
} from "../../registry-client/find-certificate.ts";
import type { StoreCalls } from "../../registry-client/operator-client.ts";

interface CertificateChange<Options> {
  readonly name: string;
  readonly description: string;
  /** The kind of certificate that the command can change, with its article: `an active certificate`. */
  readonly changes: string;
  readonly configure?: (command: Command) => Command;
  /** Describes the change for the preview. @param certificate its line of text */
  readonly preview: (certificate: string, options: Options) => string;
  /** Makes the change. @param target the fields by which each request names a certificate and can be repeated */
  readonly apply: (
    store: StoreCalls,
    target: { readonly certificateId: string; readonly idempotencyKey: string },
    options: Options,
    output: Output,
  ) => Promise<{ readonly certificate?: JsonObject | undefined }>;
  /** Lines that follow the changed certificate's. Default: none. */
  readonly more?: (changed: FoundCertificate) => readonly string[];
}

/** Defines a command that changes one certificate, or prints a preview without `--yes`. */
export function defineCertificateChange<Options = object>({
  name,
  description,
  changes,
  configure = (command) => command,
  preview,
  apply,
  more = () => [],
}: CertificateChange<Options>): CertctlCommand {
  const argument = `id or serial number of ${changes} in the store`;
  return defineCommand<Options & IdempotencyKeyOption & YesOption>({
    name,
    changes: "store",
    description,
    configure: (command) => withIdempotencyKey(withYes(configure(command.argument("<id or serial>", argument)))),
    async run({ selectStore, output, options, args: [selector = ""] }) {
      const store = await selectStore();
      const found = await findCertificate(store, selector);
      if (!options.yes)
        return output.preview(printable(preview(certificateLine(found), options)), { certificate: found.json });
      const target = { certificateId: found.id, idempotencyKey: options.idempotencyKey ?? "" };
      const changed = parseCertificate((await apply(store, target, options, output)).certificate);
      output.result(changed.json, certificateLine(changed), ...more(changed));
    },
  });
}
