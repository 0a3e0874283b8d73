import { MINUTE, SECOND } from '../../lib/durations.ts'
import { mayBecome } from './delivery.ts'
import {
  type Downlink,
  type DownlinkKind,
  type DownlinkRoute,
  type DownlinkStep,
  type Downlinks,
  EXPIRED,
} from './downlink.ts'
import { type Incident, isOpen } from './incident.ts'
import { isHelped } from './rounds.ts'

/** Head start of the same commit's alarms over a message to the tracker. */
const HEAD_START_MS = SECOND
/** "Help is coming" must not arrive once it is untrue; "SOS received" stays true for longer. */
const LIFETIME_MS = { received: 60 * MINUTE, coming: 30 * MINUTE } as const satisfies Record<DownlinkKind, number>
const MAX_TRIES = 3
/** Distance between two messages to one tracker: a gateway may send for only 1 % of the time. */
export const DISTANCE_MS = 30 * SECOND
const RETRY_MS = 20 * SECOND
/** Longer than a hand-over may take. */
const CLAIM_MS = 30 * SECOND
/** Longer than it may take to empty a queue. */
export const EMPTYING_MS = 10 * SECOND

/** The incident with the tracker to answer: the first one that pressed. A press never reaches a drill. */
export function withRoute(incident: Incident, route: DownlinkRoute | undefined, now: number): Incident {
  if (route === undefined || route.kinds.length === 0 || incident.downlinks !== undefined) return incident
  const rows = route.kinds.includes('received') ? [planned('received', now, [])] : []
  return { ...incident, downlinks: { route, rows } }
}

const planned = (kind: DownlinkKind, now: number, rows: readonly Downlink[]): Downlink => ({
  kind,
  status: 'scheduled',
  dueAt: Math.max(now + HEAD_START_MS, ...rows.map(({ handedAt }) => (handedAt ?? 0) + DISTANCE_MS)),
  expiresAt: now + LIFETIME_MS[kind],
  tries: 0,
  claimedUntil: null,
  ref: null,
  isQueued: false,
  handedAt: null,
  error: null,
  updatedAt: now,
})

const isAnswered = (incident: Incident): boolean =>
  incident.state.status === 'acknowledged' && incident.cascade.phase.name === 'answered' && isHelped(incident)

/**
 * Updates the messages to the tracker after any other change. An answer plans "help is coming", which supersedes an
 * unsent "received"; the end, or a silent emergency, skips whatever no gateway has yet.
 */
export function withDownlinks(incident: Incident, now: number): Incident {
  const { downlinks } = incident
  if (downlinks === undefined) return incident
  const { route, rows } = downlinks
  const isOver = !isOpen(incident) || incident.silent === true
  const isComing = !incident.silent && isAnswered(incident) && route.kinds.includes('coming')
  const settled = rows.map((row) => {
    if (row.status !== 'scheduled') return row
    const isPointless = isOver || (isComing && row.kind === 'received' && row.tries === 0)
    if (!isPointless) return row
    return {
      ...row,
      ...unsure(row, row.claimedUntil !== null),
      status: 'skipped' as const,
      claimedUntil: null,
      updatedAt: now,
    }
  })
  const isNew = isComing && !rows.some(({ kind }) => kind === 'coming')
  if (!isNew && settled.every((row, place) => row === rows[place])) return incident
  return {
    ...incident,
    downlinks: { ...downlinks, rows: isNew ? [...settled, planned('coming', now, rows)] : settled },
  }
}

/** When the message needs attention next: to be handed over, or to expire. Null if nothing is left to do. */
export function downlinkMoment(incident: Incident, row: Downlink): number | null {
  if (row.status !== 'scheduled') return null
  if (row.isQueued || incident.held || !isOpen(incident)) return row.expiresAt
  // The helper withdrew, so it waits for the next one.
  if (row.kind === 'coming' && !isAnswered(incident)) return row.expiresAt
  return Math.min(row.claimedUntil ?? row.dueAt, row.expiresAt)
}

/** Whether the message may be handed over now. */
export const isDownlinkDue = (incident: Incident, row: Downlink, now: number): boolean =>
  !row.isQueued && row.expiresAt > now && (downlinkMoment(incident, row) ?? Number.POSITIVE_INFINITY) <= now

/**
 * Whether the network server may still send the message although it is no longer true: it is queued there, or a gateway
 * sent it without the tracker's confirmation, after which it is sent again.
 */
export function isStaleDownlink(incident: Incident, row: Downlink): boolean {
  if (!row.isQueued && row.mayWait === undefined) return false
  switch (row.status) {
    case 'skipped':
      return true
    case 'failed':
      return !isOpen(incident) || row.error === EXPIRED
    case 'sent':
      return !isOpen(incident)
    case 'scheduled':
      return row.kind === 'coming' && !incident.held && !isAnswered(incident)
    case 'delivered':
      return false
    default:
      return row.status satisfies never
  }
}

/** The incident after a step of the message of this kind; the same one if the step does not apply to it. */
export function withDownlinkStep(incident: Incident, kind: DownlinkKind, step: DownlinkStep, now: number): Incident {
  const { downlinks } = incident
  const before = downlinks?.rows.find((row) => row.kind === kind)
  if (downlinks === undefined || before === undefined) return incident
  if (step.name === 'takeBack') return emptying(incident, downlinks, now)
  const { emptiedUntil, ...settled } = downlinks
  const left = step.name === 'takenBack' || step.name === 'notTakenBack' ? settled : downlinks
  const after = step.name === 'notTakenBack' ? before : stepped(incident, before, step, now)
  if (after === before && (left === downlinks || emptiedUntil === undefined)) return incident
  return { ...incident, downlinks: { ...left, rows: left.rows.map((row) => (row === before ? after : row)) } }
}

/**
 * Claims the queue for emptying. One node at a time: a second one would remove what the first has just handed over
 * again.
 */
function emptying(incident: Incident, downlinks: Downlinks, now: number): Incident {
  const leftMs = (downlinks.emptiedUntil ?? now) - now
  // A longer claim than anyone makes means that the clock was set back since.
  const isOthers = leftMs > 0 && leftMs <= EMPTYING_MS
  if (isOthers || !downlinks.rows.some((row) => isStaleDownlink(incident, row))) return incident
  return { ...incident, downlinks: { ...downlinks, emptiedUntil: now + EMPTYING_MS } }
}

type RowStep = Exclude<DownlinkStep, { name: 'takeBack' | 'notTakenBack' }>

function stepped(incident: Incident, row: Downlink, step: RowStep, now: number): Downlink {
  switch (step.name) {
    case 'claim':
      if (!isDownlinkDue(incident, row, now)) return row
      if (row.tries >= MAX_TRIES) return failed(row, row.error ?? 'connection timeout', now)
      return {
        ...row,
        // The process that claimed it may have stopped after the hand-over.
        ...unsure(row, row.claimedUntil !== null),
        tries: row.tries + 1,
        claimedUntil: now + CLAIM_MS,
        ref: step.ref,
        handedAt: now,
      }
    case 'queued':
      // Recorded even if it was skipped meanwhile: it has to be withdrawn.
      return row.isQueued || row.ref === null
        ? row
        : { ...row, ref: step.ref, isQueued: true, claimedUntil: null, error: null }
    case 'refused': {
      if (row.status !== 'scheduled' || row.isQueued) return row
      const refused = { ...row, ...unsure(row, step.mayWait === true) }
      if (!step.retryable || row.tries >= MAX_TRIES) return failed(refused, step.error, now)
      return { ...refused, dueAt: now + RETRY_MS * row.tries, claimedUntil: null, error: step.error }
    }
    case 'heard': {
      if (row.ref !== step.ref || !mayBecome(row.status, step.status)) return row
      if (step.status === 'failed') return failed({ ...row, isQueued: false }, 'not delivered', now)
      return { ...row, status: step.status, isQueued: true, claimedUntil: null, updatedAt: now }
    }
    case 'expire':
      if (row.status !== 'scheduled' || row.expiresAt > now) return row
      // A message that never ran is skipped. rules.md#attempts.
      return row.tries === 0
        ? { ...row, status: 'skipped', error: EXPIRED, updatedAt: now }
        : failed({ ...row, ...unsure(row, row.claimedUntil !== null) }, row.error ?? EXPIRED, now)
    case 'takenBack': {
      if (row.status === 'delivered' || (row.status === 'sent' && isOpen(incident))) return row
      if (!row.isQueued && row.mayWait === undefined) return row
      const { mayWait: _, ...left } = row
      // A message that is still true, or true again, is handed over again.
      const dueAt = Math.max(now, (row.handedAt ?? 0) + DISTANCE_MS)
      return { ...left, isQueued: false, ...(row.status === 'scheduled' && { tries: 0, dueAt }) }
    }
    default:
      return step satisfies never
  }
}

const unsure = (row: Downlink, isNow: boolean): Pick<Downlink, 'mayWait'> =>
  isNow || row.mayWait ? { mayWait: true } : {}

const failed = (row: Downlink, error: string, now: number): Downlink => ({
  ...row,
  status: 'failed',
  claimedUntil: null,
  error,
  updatedAt: now,
})

/** The messages with every deadline moved. */
export const withMovedDownlinks = (
  { downlinks }: Incident,
  moved: (at: number) => number,
): Pick<Incident, 'downlinks'> =>
  downlinks === undefined
    ? {}
    : {
        downlinks: {
          ...downlinks,
          ...(downlinks.emptiedUntil !== undefined && { emptiedUntil: moved(downlinks.emptiedUntil) }),
          rows: downlinks.rows.map((row) => ({
            ...row,
            dueAt: moved(row.dueAt),
            expiresAt: moved(row.expiresAt),
            claimedUntil: row.claimedUntil && moved(row.claimedUntil),
            handedAt: row.handedAt && moved(row.handedAt),
          })),
        },
      }
