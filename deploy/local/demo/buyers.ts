import { REGIONS, type Region } from "./regions.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** An invented buyer. */
export interface Buyer {
  readonly name: string;
  readonly email: string;
  readonly street: string;
  readonly city: string;
  readonly zip: string;
  readonly provinceCode: string;
  readonly province: string;
  readonly region: Region;
}

// Reserved by RFC 2606, so that no message can reach anybody.
const DOMAINS = [
  "example.com",
  "example.org",
  "example.net",
  "post.example",
  "atelier.example",
  "mail.example",
];
const LATIN: Readonly<Record<string, string>> = { ł: "l", ø: "o", ß: "ss", æ: "ae", þ: "th", ð: "d" };

/** Invents a buyer. */
export function inventBuyer(random: SeededRandom): Buyer {
  const region = random.pick(REGIONS);
  const first = spelt(random.pick(region.firstNames));
  const family = spelt(random.pick(region.familyNames));
  const [city, zip, provinceCode, province] = random.pick(region.cities);
  const name = region.familyFirst ? `${family.shown}${first.shown}` : `${first.shown} ${family.shown}`;
  const email = address(first.latin, family.latin, random);
  return { name, email, street: random.pick(region.streets), city, zip, provinceCode, province, region };
}

function spelt(word: string): { shown: string; latin: string } {
  const [shown = "", spelling = shown] = word.replaceAll("_", " ").split("=");
  const plain = spelling.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  return { shown, latin: plain.replace(/[^a-z]/g, (letter) => LATIN[letter] ?? "") };
}

function address(first: string, family: string, random: SeededRandom): string {
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  const local = random.pick([
    `${first}.${family}`,
    `${first}.${family}`,
    `${capital(first)}.${capital(family)}`,
    `${first}+shop`,
    `${first.charAt(0)}.${family}+prints`,
    `${family}${60 + random.below(39)}`,
    `${first}_${family}`,
  ]);
  return `${local}@${random.pick(DOMAINS)}`;
}
