import type { CertctlCommand } from "./command/command.ts";

/**
 * A module under `commands`: it exports nothing but its command, or commands that differ in little. The definition of a
 * command documents it: its name, its arguments and its description.
 */
type CommandModule = Readonly<Record<string, CertctlCommand | readonly CertctlCommand[]>>;

/** Loads the modules of one noun, the first word of their commands. */
type Noun = () => readonly Promise<CommandModule>[];

/** All commands of certctl by noun, in the order in which the help lists them. */
const nouns: Readonly<Record<string, Noun>> = {
  import: () => [import("./commands/import/orders.ts")],
  certificate: () => [
    import("./commands/certificate/issue.ts"),
    import("./commands/certificate/find.ts"),
    import("./commands/certificate/list.ts"),
    import("./commands/certificate/show.ts"),
    import("./commands/certificate/history.ts"),
    import("./commands/certificate/revoke.ts"),
    import("./commands/certificate/reactivate.ts"),
    import("./commands/certificate/transfer.ts"),
    import("./commands/certificate/new-link.ts"),
  ],
  report: () => [import("./commands/report/list.ts"), import("./commands/report/close.ts")],
  person: () => [import("./commands/person/erase.ts")],
  sample: () => [import("./commands/sample/create.ts")],
  store: () => [
    import("./commands/store/create.ts"),
    import("./commands/store/list.ts"),
    import("./commands/store/history.ts"),
  ],
  settings: () => [
    import("./commands/settings/show.ts"),
    import("./commands/settings/set.ts"),
    import("./commands/settings/link.ts"),
    import("./commands/settings/sign-out.ts"),
  ],
  plan: () => [import("./commands/plan/set.ts")],
  key: () => [
    import("./commands/key/create.ts"),
    import("./commands/key/list.ts"),
    import("./commands/key/roll.ts"),
    import("./commands/key/revoke.ts"),
  ],
  webhook: () => [
    import("./commands/webhook/set.ts"),
    import("./commands/webhook/show.ts"),
    import("./commands/webhook/remove.ts"),
    import("./commands/webhook/test.ts"),
    import("./commands/webhook/verify.ts"),
    import("./commands/webhook/rotate.ts"),
    import("./commands/webhook/token.ts"),
    import("./commands/webhook/listen.ts"),
    import("./commands/webhook/trigger.ts"),
  ],
  trigger: () => [
    import("./commands/trigger/create.ts"),
    import("./commands/trigger/list.ts"),
    import("./commands/trigger/log.ts"),
    import("./commands/trigger/test.ts"),
    import("./commands/trigger/rotate.ts"),
    import("./commands/trigger/switch.ts"),
    import("./commands/trigger/delete.ts"),
  ],
  storefront: () => [
    import("./commands/storefront/show.ts"),
    import("./commands/storefront/rules-list.ts"),
    import("./commands/storefront/rules-set.ts"),
    import("./commands/storefront/rules-remove.ts"),
    import("./commands/storefront/problems.ts"),
    import("./commands/storefront/retry.ts"),
    import("./commands/storefront/requests.ts"),
    import("./commands/storefront/replay.ts"),
  ],
  secrets: () => [import("./commands/secrets/reseal.ts")],
  quarantine: () => [import("./commands/quarantine/list.ts")],
  event: () => [import("./commands/event/list.ts"), import("./commands/event/redeliver.ts")],
  catalogue: () => [import("./commands/catalogue/put.ts")],
  operator: () => [import("./commands/operator/create.ts")],
  tls: () => [import("./commands/tls/issue.ts")],
  context: () => [
    import("./commands/context/list.ts"),
    import("./commands/context/set.ts"),
    import("./commands/context/use.ts"),
    import("./commands/context/remove.ts"),
  ],
  completion: () => [import("./commands/completion/completion.ts")],
  options: () => [import("./commands/options/options.ts")],
  doctor: () => [import("./commands/doctor/doctor.ts")],
};

/** The description of each command group, by the last word of the group's name. */
export const groupDescriptions: Readonly<Record<string, string>> = {
  import: "import certificates",
  certificate: "issue, find, show and change certificates",
  report: "problem reports from buyers",
  person: "data protection",
  sample: "sample certificates",
  store: "stores in the registry",
  settings: "a store's settings, and links that open them in a browser",
  plan: "a store's plan",
  key: "a store's API keys",
  webhook: "a store's webhook",
  rotate: "replace the signing secret without downtime: begin, switch, and finish or cancel",
  trigger: "a store's workflow triggers, which receive events with at-least-once delivery",
  storefront: "a store's connection to its storefront platform",
  rules: "rules that decide which ordered products get certificates",
  secrets: "encryption of stored secrets",
  quarantine: "messages that cannot be decoded or published",
  event: "events, their webhook messages and the outcomes of these",
  catalogue: "a store's products",
  operator: "people and programs that call the operator API",
  tls: "TLS certificates for the services and operators",
  context: "named connection settings: registry, TLS files, store",
};

/** Other words for command groups: what the documents call the thing. */
export const groupAliases: Readonly<Record<string, string>> = { "api-key": "key" };

/**
 * Loads the commands that a command line can mean, so that a command starts without the modules of all others: those of
 * its first word or, after options, of every noun in it. Loads all commands for a word that is no noun, which may be a
 * typing error, for help and for completion.
 *
 * @param words a command line; default: none
 */
export async function loadCommands(words: readonly string[] = []): Promise<readonly CertctlCommand[]> {
  const isAfterOptions = words[0]?.startsWith("-") && !words.some((word) => ["help", "-h", "--help"].includes(word));
  const candidates = isAfterOptions ? words : words.slice(0, 1);
  const spoken = candidates.map((word) => groupAliases[word] ?? word);
  const named = Object.keys(nouns).filter((noun) => spoken.includes(noun) && noun !== "completion");
  const loaded = (named.length === 0 ? Object.keys(nouns) : named).flatMap((noun) => nouns[noun]?.() ?? []);
  return (await Promise.all(loaded)).flatMap((module) => Object.values(module)).flat();
}
