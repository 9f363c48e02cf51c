import { ImportState } from "#gen/settings/v1/import_settings_service_pb.js";
import type { Language } from "#shared/texts/languages.ts";
import { receivedText, textsFor } from "#shared/texts/texts.ts";
import type { Tone } from "../model/tone.ts";

/** The badge tone for each import state; states not listed here are neutral. */
export const stateTones: Readonly<Partial<Record<ImportState, Tone>>> = {
  [ImportState.UPLOADING]: "bad",
  [ImportState.EXAMINED]: "warn",
  [ImportState.FINISHED]: "good",
};

/** Returns the name of a state, or the name of `uploading` for a state that this version does not know. */
export function stateWord(state: ImportState, language: Language): string {
  const text = textsFor(language);
  const name = ImportState[state]?.toLowerCase();
  return receivedText(language, `settings.import.state.${name}`) ?? text("settings.import.state.uploading");
}
