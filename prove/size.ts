/** The size of the proof. Times in milliseconds. */
export type Size = {
  readonly kills: number
  /** Services on one database, people who press SOS in each part of it, kills of a node, and ways to lose a primary. */
  readonly nodes: number
  readonly callers: number
  readonly nodeKills: number
  readonly failovers: readonly ('dies' | 'vanishes')[]
  readonly cuts: number
  /** Stories of phones with the SDK. */
  readonly stories: number
  /**
   * How long B presses before an attack begins. These presses are the control, and include the slow first ones of a new
   * process, which are not the attacker's doing.
   */
  readonly warmUpMs: number
  /** How long an attack or a disk fault lasts. */
  readonly attackMs: number
  /** How long to wait for B's presses afterwards. */
  readonly reliefMs: number
  /** A part that takes longer is abandoned. */
  readonly timeoutMs: number
}

export const full: Size = {
  kills: 100,
  nodes: 3,
  callers: 200,
  nodeKills: 50,
  failovers: ['dies', 'vanishes'],
  cuts: 10,
  stories: 1_000,
  warmUpMs: 1_500,
  attackMs: 8_000,
  reliefMs: 60_000,
  timeoutMs: 480_000,
}

/** For a quick check that everything still works; its figures mean little. */
export const quick: Size = {
  kills: 1,
  nodes: 3,
  callers: 40,
  nodeKills: 2,
  failovers: ['dies'],
  cuts: 1,
  stories: 20,
  warmUpMs: 300,
  attackMs: 250,
  reliefMs: 15_000,
  timeoutMs: 240_000,
}
