/** The size of the measurements. Times in milliseconds. */
export type Plan = {
  readonly ingest: { readonly rounds: number; readonly warmUpMs: number; readonly measureMs: number }
  readonly press: { readonly presses: number; readonly perSecond: number }
  readonly deadlines: { readonly incidents: number; readonly graceSeconds: number }
  /** `answerMs`: the provider's answer time per SMS. `maxSeconds`: how long to wait for the first SMS. */
  readonly notifications: {
    readonly incidents: number
    readonly graceSeconds: number
    readonly answerMs: number
    readonly maxSeconds: number
  }
  /**
   * `presses`: the maximum while the crowd connects, and the number once it is connected. `idleMs`: the silence before
   * memory is measured.
   */
  readonly connections: {
    readonly connections: number
    readonly atOnce: number
    readonly presses: number
    readonly perSecond: number
    readonly idleMs: number
  }
}

export const full: Plan = {
  ingest: { rounds: 5, warmUpMs: 1000, measureMs: 3000 },
  press: { presses: 500, perSecond: 50 },
  deadlines: { incidents: 1000, graceSeconds: 3 },
  notifications: { incidents: 1000, graceSeconds: 3, answerMs: 200, maxSeconds: 60 },
  connections: { connections: 10_000, atOnce: 100, presses: 500, perSecond: 20, idleMs: 10_000 },
}

/** For a quick check that everything still works; its figures mean little. */
export const quick: Plan = {
  ingest: { rounds: 1, warmUpMs: 300, measureMs: 700 },
  press: { presses: 60, perSecond: 50 },
  deadlines: { incidents: 100, graceSeconds: 1 },
  notifications: { incidents: 100, graceSeconds: 1, answerMs: 200, maxSeconds: 5 },
  connections: { connections: 200, atOnce: 50, presses: 20, perSecond: 50, idleMs: 500 },
}

/** The two shapes of load. protocol.md#mqtt: QoS 1, as every application sends it. */
export const shapes = [
  { connections: 50, inFlight: 20 },
  { connections: 500, inFlight: 1 },
] as const

export type Shape = (typeof shapes)[number]

/**
 * Our targets. Reported beside the figures, never a gate: the load generator shares the processor with what it
 * measures.
 */
export const aims = {
  ingestRatio: 0.7,
  idlePressMs: 10,
  loadedPressMs: 50,
  latenessMs: 100,
  connectSeconds: 60,
  connectionKb: 100,
  crowdedPressMs: 2000,
} as const
