/** The size of the measurements. Times in milliseconds. */
export type Plan = {
  /** How many measurements run side by side: one, unless the figures do not count. */
  readonly atOnce: number
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
  /**
   * `presses` of each round, while `pages` other incidents are pressed again, `againPerSecond` of them a second.
   * `visible`: presses that a browser is to show.
   */
  readonly console: {
    readonly openIncidents: number
    readonly consoles: number
    readonly pages: number
    readonly rounds: number
    readonly presses: number
    readonly perSecond: number
    readonly againPerSecond: number
    readonly visible: number
    readonly floodConnections: number
  }
  /**
   * `installed`: as many phones as open the app once a day. `openings`: whose cost is measured, `perSecond` of them a
   * second; `standingMs`: how long they then stay open. `presses` of each round.
   */
  readonly apps: {
    readonly installed: number
    readonly openings: number
    readonly perSecond: number
    readonly standingMs: number
    readonly rounds: number
    readonly presses: number
    readonly pressesPerSecond: number
  }
  /**
   * `connections`: of one user, each with this much in flight; `requestConnections`: the same over REST, each with one
   * request. `callsPerSecond`: new connections of one address.
   */
  readonly flooder: {
    readonly presses: number
    readonly perSecond: number
    readonly connections: number
    readonly inFlight: number
    readonly requestConnections: number
    readonly callsPerSecond: number
  }
  /** `delaysMs`: how much longer each fsync takes. Telemetry as in the first shape. */
  readonly slowDisk: {
    readonly delaysMs: readonly number[]
    readonly presses: number
    readonly perSecond: number
    readonly connections: number
    readonly inFlight: number
    readonly rounds: number
    readonly warmUpMs: number
    readonly measureMs: number
  }
  /**
   * `counts`: of nodes beside their database. `delaysMs`: how far one node is away from it. `maxSeconds`: a slow
   * machine gets fewer rounds and presses.
   */
  readonly nodes: {
    readonly counts: readonly number[]
    readonly delaysMs: readonly number[]
    readonly rounds: number
    readonly warmUpMs: number
    readonly measureMs: number
    readonly presses: number
    readonly perSecond: number
    readonly maxSeconds: number
  }
  /** `idleMs`: how long the service does nothing before its memory is measured. */
  readonly startUp: { readonly rounds: number; readonly idleMs: number }
  /** `trackers`: the connections where another thing grows. `warmUpMs`: the round that is not counted; 0 for none. */
  readonly growth: {
    readonly rounds: number
    readonly warmUpMs: number
    readonly measureMs: number
    readonly trackers: number
    readonly perSecond: number
    readonly connections: readonly number[]
    readonly storedRows: readonly number[]
    readonly openIncidents: readonly number[]
    readonly messages: readonly { readonly bytes: number; readonly perSecond: number }[]
  }
  /** `people` press in turn. `answerMs`: the provider's answer time per SMS. */
  readonly soak: {
    readonly minutes: number
    readonly sampleMs: number
    readonly trackers: number
    readonly telemetryPerSecond: number
    readonly people: number
    readonly pressesPerSecond: number
    readonly answerMs: number
  }
}

/** The two shapes of load. protocol.md#mqtt: QoS 1, as every application sends it. */
export const shapes = [
  { connections: 50, inFlight: 20 },
  { connections: 500, inFlight: 1 },
] as const

export type Shape = (typeof shapes)[number]

const [busy] = shapes

export const full: Plan = {
  atOnce: 1,
  ingest: { rounds: 5, warmUpMs: 1000, measureMs: 3000 },
  press: { presses: 500, perSecond: 50 },
  deadlines: { incidents: 1000, graceSeconds: 3 },
  notifications: { incidents: 1000, graceSeconds: 3, answerMs: 200, maxSeconds: 60 },
  connections: { connections: 10_000, atOnce: 100, presses: 500, perSecond: 20, idleMs: 10_000 },
  console: {
    openIncidents: 1000,
    consoles: 50,
    pages: 20,
    rounds: 5,
    presses: 300,
    perSecond: 20,
    againPerSecond: 2,
    visible: 50,
    floodConnections: 16,
  },
  apps: {
    installed: 10_000,
    openings: 200,
    perSecond: 20,
    standingMs: 30_000,
    rounds: 5,
    presses: 200,
    pressesPerSecond: 20,
  },
  flooder: {
    presses: 500,
    perSecond: 50,
    connections: 8,
    inFlight: 100,
    requestConnections: 200,
    callsPerSecond: 500,
  },
  slowDisk: { delaysMs: [0, 5, 50], presses: 300, perSecond: 20, ...busy, rounds: 3, warmUpMs: 1000, measureMs: 3000 },
  nodes: {
    counts: [1, 2, 3],
    delaysMs: [1, 10],
    rounds: 3,
    warmUpMs: 1000,
    measureMs: 1500,
    presses: 150,
    perSecond: 50,
    maxSeconds: 220,
  },
  startUp: { rounds: 5, idleMs: 30_000 },
  growth: {
    rounds: 5,
    warmUpMs: 2000,
    measureMs: 3000,
    trackers: 50,
    perSecond: 5000,
    connections: [1, 10, 100, 1000, 10_000],
    storedRows: [10_000, 1_000_000],
    openIncidents: [1, 100, 10_000],
    // As many as a service with one slow core can take.
    messages: [
      { bytes: 100, perSecond: 5000 },
      { bytes: 1000, perSecond: 5000 },
      { bytes: 60_000, perSecond: 200 },
    ],
  },
  soak: {
    minutes: 30,
    sampleMs: 10_000,
    trackers: 50,
    telemetryPerSecond: 500,
    people: 100,
    pressesPerSecond: 5,
    answerMs: 50,
  },
}

/** What `--long` measures as well. */
export const longStoredRows = 10_000_000

/** For a quick check that everything still works; its figures mean little. */
export const quick: Plan = {
  atOnce: 3,
  ingest: { rounds: 1, warmUpMs: 300, measureMs: 700 },
  press: { presses: 60, perSecond: 50 },
  deadlines: { incidents: 100, graceSeconds: 1 },
  notifications: { incidents: 100, graceSeconds: 1, answerMs: 200, maxSeconds: 5 },
  connections: { connections: 200, atOnce: 50, presses: 20, perSecond: 50, idleMs: 500 },
  console: {
    openIncidents: 50,
    consoles: 5,
    pages: 3,
    rounds: 1,
    presses: 20,
    perSecond: 20,
    againPerSecond: 2,
    visible: 10,
    floodConnections: 4,
  },
  apps: {
    installed: 10_000,
    openings: 20,
    perSecond: 20,
    standingMs: 500,
    rounds: 1,
    presses: 20,
    pressesPerSecond: 20,
  },
  flooder: {
    presses: 20,
    perSecond: 50,
    connections: 2,
    inFlight: 50,
    requestConnections: 20,
    callsPerSecond: 50,
  },
  slowDisk: { delaysMs: [0, 5, 50], presses: 20, perSecond: 50, ...busy, rounds: 1, warmUpMs: 200, measureMs: 500 },
  nodes: {
    counts: [1, 2],
    delaysMs: [10],
    rounds: 1,
    warmUpMs: 200,
    measureMs: 500,
    presses: 20,
    perSecond: 50,
    maxSeconds: 60,
  },
  startUp: { rounds: 1, idleMs: 500 },
  growth: {
    rounds: 1,
    warmUpMs: 0,
    measureMs: 400,
    trackers: 10,
    perSecond: 1000,
    connections: [1, 50],
    storedRows: [5000],
    openIncidents: [20],
    messages: [
      { bytes: 100, perSecond: 1000 },
      { bytes: 1000, perSecond: 1000 },
      { bytes: 60_000, perSecond: 50 },
    ],
  },
  soak: {
    minutes: 0.1,
    sampleMs: 500,
    trackers: 10,
    telemetryPerSecond: 200,
    people: 20,
    pressesPerSecond: 10,
    answerMs: 50,
  },
}

type IngestAim = { readonly rate: number; readonly cpu: number }

/**
 * Our targets. Reported next to the figures, never a gate: the load generator shares the processor with the service.
 */
export const aims = {
  /** Of Mosquitto's rate and of its processor time a message, by the messages in flight on a connection. */
  ingest: { 20: { rate: 0.9, cpu: 1.8 }, 1: { rate: 0.4, cpu: 3.3 } } as Readonly<Record<number, IngestAim>>,
  idlePressMs: 6,
  loadedPressMs: 30,
  latenessMs: 100,
  connectSeconds: 60,
  connectionKb: 50,
  crowdedPressMs: 2000,
  consoleSlowdown: 1.1,
  consoleVisibleMs: 1000,
  floodedPressMs: 100,
  nodesIngestRatio: 0.5,
  nodesPressMs: 25,
  nodesRoundTrips: 4,
} as const
