import { SECOND } from '../../lib/durations.ts'
import { type Account, NEW_ACCOUNT, type Spending, shiftedAccount, spend, unitMsOf } from './account.ts'

/** A message's position in the queue. Lower ranks go first, then older messages. */
export type PlaceInLine = {
  readonly rank: number
  /** Epoch ms. */
  readonly since: number
}

/** A node's standing with the account. */
type Standing = {
  readonly askedAt: number
  /** When it asks again if something still waits there. */
  readonly returnsAt: number
  /** The first message that waits there; null: none that could leave now. */
  readonly first: PlaceInLine | null
  /** Units used, or as many as the others had when the node joined: its part of what they share evenly. */
  readonly used: number
}

/** One account of turns for all nodes, stored as JSON. */
export type SharedAccount = Account & {
  /** When this was written. A clock behind it was set back, or is that of another server. */
  readonly at: number
  readonly nodes: Readonly<Record<string, Standing>>
}

/** A node's request for turns: all `wanted` are for messages of the rank of `first`. */
export type TurnRequest = Spending & {
  /** The first message in line; null: none that could leave now. */
  readonly first: PlaceInLine | null
  /** Requests of this node in flight. */
  readonly underWay: number
}

/** Durations from the moment of the answer, so that nobody's clock matters. */
export type TurnAnswer = {
  readonly granted: number
  /** When to ask again for what still waits. */
  readonly askAgainMs: number
  /** Time until the next turn. 0 or less: now. */
  readonly nextInMs: number
  /** The rest of the provider's pause. 0 or less: there is none. */
  readonly pausedMs: number
}

export const NEW_SHARED_ACCOUNT: SharedAccount = { ...NEW_ACCOUNT, at: 0, nodes: {} }

/** How late a node may fetch its turn: a late timer and a round trip must not cost part of the rate. */
const LATE_MS = 25
/** A waiting node asks again at least this often: another may have given a turn back. */
const MAX_SLEEP_MS = 250
/** How soon a node asks again if its messages must let another's go first. */
const MIN_SLEEP_MS = 50
/** A node later than this no longer holds up the others. */
const GRACE_MS = 500
/** A node that has not asked for this long no longer takes part. */
const GONE_MS = 15 * SECOND

/**
 * Decides a node's request for turns at `now`. A turn is granted only once its moment has come, and to the node whose
 * first message precedes those waiting elsewhere: no node can hoard turns, and one node's first alarm precedes the
 * repeats of all others. Each node gets an equal share of the requests in flight, so that those of a dead node need no
 * bookkeeping.
 */
export function decideTurns(
  before: SharedAccount,
  { node, ...request }: TurnRequest & { readonly node: string },
  now: number,
): { readonly account: SharedAccount; readonly answer: TurnAnswer } {
  const known = now < before.at ? setBack(before, now - before.at) : before
  const others = Object.entries(known.nodes).filter(([name, { askedAt }]) => name !== node && now - askedAt < GONE_MS)
  const mine = { first: request.first, used: usedBy(known.nodes[node], others) + request.used }
  const share = Math.max(1, Math.floor(request.rate.maxAtOnce / (others.length + 1)))
  const room = Math.max(0, share - request.underWay)
  const isBehind = others.some(([, other]) => now <= other.returnsAt + GRACE_MS && precedes(other, mine))
  const wanted = isBehind ? 0 : Math.min(request.wanted, room)
  const { account, granted } = spend(known, { ...request, wanted }, { now, lateMs: LATE_MS })
  const unitMs = unitMsOf(request.rate)
  const askAgainMs = isBehind
    ? Math.min(Math.max(unitMs, MIN_SLEEP_MS), MAX_SLEEP_MS)
    : Math.min(account.nextAt > now ? account.nextAt - now : MAX_SLEEP_MS, MAX_SLEEP_MS)
  const standing: Standing = {
    askedAt: now,
    returnsAt: now + askAgainMs,
    first: granted === request.wanted || room === 0 ? null : request.first,
    used: mine.used + granted,
  }
  return {
    account: { ...account, at: now, nodes: { ...Object.fromEntries(others), [node]: standing } },
    answer: { granted, askAgainMs, nextInMs: account.nextAt - now, pausedMs: account.pausedUntil - now },
  }
}

type Waiting = Pick<Standing, 'first' | 'used'>

/** Of two equal messages, the one of the node that has used less goes first. */
function precedes(one: Waiting, other: Waiting): boolean {
  if (one.first === null || other.first === null) return false
  const byPlace = one.first.rank - other.first.rank || one.first.since - other.first.since
  return (byPlace || one.used - other.used) < 0
}

/** An idle node must not save up turns. */
function usedBy(mine: Standing | undefined, others: readonly (readonly [string, Standing])[]): number {
  const used = mine?.used ?? 0
  if (mine !== undefined && mine.first !== null) return used
  const waiting = others.flatMap(([, other]) => (other.first === null ? [] : other.used))
  return waiting.length === 0 ? used : Math.max(used, Math.min(...waiting))
}

function setBack({ nodes, ...account }: SharedAccount, byMs: number): SharedAccount {
  const moved = Object.entries(nodes).map(([name, standing]): [string, Standing] => [
    name,
    { ...standing, askedAt: standing.askedAt + byMs, returnsAt: standing.returnsAt + byMs },
  ])
  return { ...shiftedAccount(account, byMs), at: account.at + byMs, nodes: Object.fromEntries(moved) }
}
