import { ImportState } from "#gen/settings/v1/import_settings_service_pb.js";
import type { Language } from "../../pages/messages/languages.ts";
import type { Tone } from "../model/tone.ts";
import { stateTexts } from "./state-texts.ts";

/** The badge tone for each import state; states not listed here are neutral. */
export const stateTones: Readonly<Partial<Record<ImportState, Tone>>> = {
  [ImportState.UPLOADING]: "bad",
  [ImportState.EXAMINED]: "warn",
  [ImportState.FINISHED]: "good",
};

/** Returns the name of a state, or the name of `uploading` for a state that this version does not know. */
export function stateWord(state: ImportState, language: Language): string {
  const states = stateTexts[language];
  const name = ImportState[state]?.toLowerCase();
  return Object.entries(states).find(([known]) => known === name)?.[1] ?? states.uploading;
}
