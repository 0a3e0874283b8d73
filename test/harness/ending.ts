/** Anything that cleans up what was started for it: a test, or a part of the proof (`prove/`). */
export type Ending = { after(work: () => unknown): void }
