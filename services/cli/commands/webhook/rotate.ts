import { RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { type CertctlCommand, defineCommand } from "../../command/command.ts";
import { withYes, type YesOption } from "../../command/common-options.ts";
import { webhookDocument, webhookLines } from "./format.ts";

const begin = defineCommand({
  name: "webhook rotate begin",
  changes: "store",
  description: "create the next signing secret, shown once, and sign messages with both the active and the next secret",
  async run({ selectStore, output }) {
    const step = RotationStep.BEGIN;
    const store = await selectStore();
    const { secret } = await store.stores.rotateWebhookSecret({ step });
    output.note("Add the next secret to your receivers alongside the active secret.");
    output.note("Then run: certctl webhook rotate switch --yes");
    output.note("The next secret is shown only once:");
    output.result({ secret }, secret);
  },
});

const dropWarning = "receivers without the active secret would refuse messages";

const confirmedSteps = [
  {
    name: "switch",
    step: RotationStep.SWITCH,
    description: "make the next signing secret active; the previous secret also signs messages until 'finish'",
    preview: "compute X-Service-Signature with the next secret, which every receiver must already have",
  },
  {
    name: "finish",
    step: RotationStep.FINISH,
    description: "drop the previous signing secret",
    preview: `drop the previous secret: ${dropWarning}`,
  },
  {
    name: "cancel",
    step: RotationStep.CANCEL,
    description: "drop the next signing secret instead of switching to it",
    preview: `drop the next secret: ${dropWarning}`,
  },
];

function confirmedStep({ name, step, description, preview }: (typeof confirmedSteps)[number]) {
  return defineCommand<YesOption>({
    name: `webhook rotate ${name}`,
    changes: "store",
    description,
    configure: withYes,
    async run({ selectStore, output, options: { yes } }) {
      const store = await selectStore();
      if (!yes) return output.preview(preview, {});
      const { webhook } = await store.stores.rotateWebhookSecret({ step });
      output.result({ webhook: webhookDocument(webhook) }, ...webhookLines(webhook));
    },
  });
}

export const webhookRotate: readonly CertctlCommand[] = [begin, ...confirmedSteps.map(confirmedStep)];
