import { SECOND } from '../../lib/durations.ts'
import { StoreError, type Upkeep } from '../../ports/store.ts'

/** How long the store and the broker may take to prove that they work. */
const TIMEOUT_MS = 3 * SECOND
/** The dispatcher counts as late beyond this overdue time. */
const LATE_MS = 5 * SECOND

export type Phase = 'starting' | 'running' | 'stopping'

type ReadinessNeeds = {
  readonly phase: () => Phase
  readonly store: Pick<Upkeep, 'checkWritable' | 'trouble'>
  /** Rejects if the broker does not answer a client. */
  readonly brokerAnswers: () => Promise<void>
  readonly overdueMs: () => Promise<number>
  /** The reason why this node may not send; null while it may. */
  readonly leaseTrouble: () => string | null
  /** The canary's finding, if any. */
  readonly canaryTrouble: () => string | null
  /** Why this node cannot read the store's sealed values; null if it can. */
  readonly secretsTrouble: () => string | null
}

/**
 * The reasons why the service is not ready, as sentences for the operator; none if it is. Never rejects.
 * protocol.md#health.
 */
export const readiness =
  ({ phase, store, brokerAnswers, overdueMs, leaseTrouble, canaryTrouble, secretsTrouble }: ReadinessNeeds) =>
  async (): Promise<readonly string[]> => {
    const whyNotRunning = (): readonly string[] | null => (phase() === 'running' ? null : [`the service is ${phase()}`])
    const before = whyNotRunning()
    if (before !== null) return before
    const reasons = await Promise.all([
      within(store.checkWritable().then(nothing, whyUnwritable), 'the store does not answer'),
      within(brokerAnswers().then(nothing, whyDown), 'the MQTT broker does not answer'),
      within(overdueMs().then(whyLate, whyUnreadable), 'the store does not answer'),
    ])
    // Asked last, because the test write above has just updated the store's state. If a stop has begun meanwhile, it
    // explains everything else that was found.
    const troubles = [store.trouble(), leaseTrouble(), canaryTrouble(), secretsTrouble()]
    const found = [...reasons, ...troubles].filter((reason) => reason !== null)
    return whyNotRunning() ?? [...new Set(found)]
  }

const nothing = (): null => null

/** The kind of a StoreError, without the disk's or the database's own words. */
function whyUnwritable(error: unknown): string {
  const kind = error instanceof StoreError ? error.kind : 'fault'
  return `the store cannot write: ${FAULTS[kind]}`
}

const FAULTS = {
  disk_full: 'the disk is full',
  disk_reserve: 'the disk is nearly full',
  overloaded: 'too many writes are waiting for the disk',
  busy: 'another process has the database locked',
  closed: 'the database is closed',
  unreachable:
    'no database server takes writes: it cannot be reached, is read-only or has no session left; see the log',
  unknown: 'the database does not answer to commits',
  fault: 'a disk or database fault; see the log',
} as const satisfies Record<StoreError['kind'], string>

const whyDown = (): string => 'the MQTT broker does not accept connections'
const whyUnreadable = (): string => 'the store cannot be read'

const whyLate = (late: number): string | null =>
  late > LATE_MS ? `the dispatcher is ${Math.round(late / SECOND)} s late` : null

/** Resolves with `slow` if the answer does not arrive in time. */
async function within(answer: Promise<string | null>, slow: string): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, TIMEOUT_MS, slow)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
  }
}
