/** How a state is displayed: each tone has a colour and a symbol, so that the colour is not the only difference. */
export type Tone = "good" | "bad" | "warn" | "neutral";
