/** How much of an owner's name a store can show on verification pages and printed sheets. */
export const ownerDisplays = ["nothing", "initials", "name"] as const;

/** One of {@link ownerDisplays}. */
export type OwnerDisplay = (typeof ownerDisplays)[number];

const initialsMax = 4;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Returns the part of an owner's name to show; the empty string if nothing is to be shown. */
export function ownerText(name: string, display: OwnerDisplay): string {
  if (display === "nothing") return "";
  return display === "name" ? name : initialsOf(name);
}

/** Returns the initials of at most four words, such as `A. L.`; an initial without letter case gets no full stop. */
function initialsOf(name: string): string {
  const words = name.split(/[\s\-‐]+/u).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  return words
    .slice(0, initialsMax)
    .map((word) => {
      const first = [...graphemes.segment(word)][0]?.segment ?? "";
      return first.toLowerCase() === first.toUpperCase() ? first : `${first.toUpperCase()}.`;
    })
    .join(" ");
}
