import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { splitReason } from "./find-part.ts";

const services = join(import.meta.dirname, "../../..");

// The modules that contain reasons for the outcome of a delivery.
const modules = [
  ...["notifier/webhook/*.ts", "notifier/consumer/*.ts", "notifier/triggers/*.ts"],
  ...["registry/{deliveries,triggers,outbox}/*.ts"],
  ...["registry/mongo/outbox/remove-queued-events.ts", "registry/persons/erase-person.ts"],
];
const guardModules = "shared/address-guard/{address-guard,host-name,non-public-kind,port}.ts";
// Files in these folders that contain no reasons, such as tests, metrics, operators' checks and request heads.
const otherModules = /\.test\.ts$|fixture|metrics|backlog|-checks\.ts$|nats-unavailable|request-head/;

/** A part of a reason, and the module that contains it. */
export interface SourcePart {
  readonly file: string;
  readonly text: string;
}

/** Returns the parts of the reasons in the sources of the notifier and the registry, with sample values. */
export function sourceParts(): SourcePart[] {
  return filesOf(modules).flatMap((file) => {
    const source = sourceOf(file);
    const texts = literalsIn(source).flatMap((literal) => samplesOf(literal, source));
    return texts
      .flatMap(splitReason)
      .filter((text) => !/^\$\{\w+\}$/.test(text))
      .map((text) => ({ file, text: /[.;]$/.test(text) ? text : `${text}.` }));
  });
}

function filesOf(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => globSync(pattern, { cwd: services })).filter((file) => !otherModules.test(file));
}

function sourceOf(file: string): string {
  const text = readFileSync(join(services, file), "utf8");
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import .*$/gm, "");
}

function literalsIn(source: string): string[] {
  const literals = [...source.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)];
  return literals.map(([, plain, template]) => plain ?? template ?? "");
}

/** Fills a sentence with sample values, once for each phrase that can complete it. Other literals have no samples. */
function samplesOf(literal: string, source: string): string[] {
  // A constant at the beginning is a sentence of its own, which is found where the constant is defined.
  const text = literal.replace(/^(\$\{\w+\} )+/, "");
  if (!/^[A-Z]\S* ./.test(text)) return [];
  const known = text
    .replaceAll(/\$\{within(?:Seconds)?\b[^{}]*\}/g, "within 0.5 seconds")
    .replaceAll(/\$\{eventLifeDays\}/g, "29")
    .replaceAll(/\$\{bytesMax [^{}]*\}/g, "16")
    .replaceAll(/\$\{status\}/g, "503");
  const [expression, name = ""] = /\$\{(when|missing|problem)\}/.exec(known) ?? [];
  if (expression === undefined) return [known];
  return phrasesOf(name, known, source).flatMap((phrase) => samplesOf(known.replace(expression, phrase), source));
}

/** Returns the phrases that complete a sentence: the values of a local constant, or of the parameter `problem`. */
function phrasesOf(name: string, text: string, source: string): string[] {
  if (name !== "problem") return literalsIn(new RegExp(`const ${name} = [^;]*;`).exec(source)?.[0] ?? "");
  if (text.includes("webhook URL")) return guardProblems(text.includes("resolves to"));
  return [...source.matchAll(/proxyFailed\(["`].*$/gm)].flatMap(([call]) => literalsIn(call));
}

/** Returns the phrases with which the address guard refuses a host or a resolved address, with sample values. */
function guardProblems(isForAddresses: boolean): string[] {
  const files = filesOf([guardModules]);
  const [, publicHostRemedy = ""] = /publicHostRemedy = "(.*)"/.exec(files.map(sourceOf).join("\n")) ?? [];
  const samples = { port: "0", portMax: "65535", kind: "loopback", domain: "svc", publicHostRemedy };
  const sampleOf = new Map(Object.entries(samples));
  return files
    .filter((file) => !isForAddresses || file.endsWith("/address-guard.ts"))
    .flatMap((file) => literalsIn(sourceOf(file)))
    .filter((text) => /^(an? \S|port \$)/.test(text))
    .filter((text) => isForAddresses || text !== "an invalid address")
    .map((text) => text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => sampleOf.get(name) ?? ""));
}
