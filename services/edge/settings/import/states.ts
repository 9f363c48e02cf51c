import { type Import, ImportState } from "#gen/settings/v1/import_settings_service_pb.js";
import { valueName } from "#shared/enums/named-values.ts";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import type { Html } from "../../pages/html.ts";
import { badge, type Tone } from "../components/content.ts";

// States not listed here are neutral.
const tones: Readonly<Partial<Record<ImportState, Tone>>> = {
  [ImportState.UPLOADING]: "bad",
  [ImportState.FINISHED]: "good",
};

/** Whether a merchant has stopped the import. */
export function isStopped({ unreadableReason }: Import): boolean {
  return unreadableReason?.code === "import_stopped";
}

/** Renders the state of an import; of one that ended before the end of its file, that it did. */
export function stateBadge(found: Import, language: Language): Html {
  const { state, unreadableReason } = found;
  const text = textsFor(language);
  if (unreadableReason === undefined) return badge(tones[state] ?? "neutral", stateWord(state, language));
  if (isStopped(found)) return badge("warn", text("settings.import.ended.stopped"));
  return state === ImportState.EXAMINED
    ? badge("bad", text("settings.import.ended.examined"))
    : badge("bad", text("settings.import.ended.finished"));
}

/** Returns the name of a state, or the name of `uploading` for a state that this version does not know. */
export function stateWord(state: ImportState, language: Language): string {
  const name = valueName(ImportState, state) ?? "uploading";
  return textsFor(language)(`settings.import.state.${name}`);
}
