import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const text = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");
const guide = text("deploy/receivers/README.md");

test.each(["send-test-message", "redeliver-event"])(
  "the receivers' guide says by which ids one knows what %s makes",
  (operation) => {
    const source = text(`services/registry/deliveries/${operation}.ts`);
    const prefixes = Array.from(source.matchAll(/\bnewId\("(\w+)"\)/g), ([, prefix = ""]) => prefix);
    expect(prefixes.length).toBeGreaterThan(0);
    expect(prefixes.filter((prefix) => !guide.includes(`\`${prefix}_…\``))).toEqual([]);
  },
);
