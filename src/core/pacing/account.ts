import { SECOND } from '../../lib/durations.ts'

/** The rate at which a provider accepts messages of one channel. */
export type Rate = {
  /** SMS segments, or calls. */
  readonly perSecond: number
  /** Maximum number of requests in flight. */
  readonly maxAtOnce: number
}

/** How far an account's rate is used up: epoch ms, by the clock of the account's store. */
export type Account = {
  /** Nothing leaves before this. */
  readonly nextAt: number
  /** End of the pause that the provider demands. */
  readonly pausedUntil: number
}

export const NEW_ACCOUNT: Account = { nextAt: 0, pausedUntil: 0 }

/** A lane's request to its account, and its report. */
export type Spending = {
  readonly rate: Rate
  /** Turns wanted now. */
  readonly wanted: number
  /** Extra units used by texts of several segments, beyond one a turn. Negative: turns given back. */
  readonly used: number
  /** The pause to begin, in ms; 0: none. */
  readonly pauseMs: number
}

/**
 * At higher rates, late timers would waste much of the rate, so messages that fall due within this burst time may leave
 * together.
 */
const FINE_RATE = 10
const BURST_MS = 250

/** Time between two turns. */
export const unitMsOf = ({ perSecond }: Rate): number => SECOND / perSecond

/**
 * Grants the turns whose moment has come, at most as many as wanted. `lateMs`: how late a node may ask for a turn
 * without losing part of the rate.
 */
export function spend(
  account: Account,
  { rate, wanted, used, pauseMs }: Spending,
  { now, lateMs = 0 }: { readonly now: number; readonly lateMs?: number },
): { readonly account: Account; readonly granted: number } {
  const unitMs = unitMsOf(rate)
  const floor = now - (rate.perSecond > FINE_RATE ? BURST_MS : lateMs)
  const pausedUntil = pauseMs > 0 ? Math.max(account.pausedUntil, now + pauseMs) : account.pausedUntil
  let nextAt = account.nextAt + used * unitMs
  if (pausedUntil > now) nextAt = Math.max(nextAt, pausedUntil)
  let granted = 0
  for (; granted < wanted && nextAt <= now; granted++) nextAt = Math.max(nextAt, floor) + unitMs
  return { account: { nextAt, pausedUntil }, granted }
}

/** The account after the clock was set by `byMs`: distances stay the same. */
export const shiftedAccount = ({ nextAt, pausedUntil }: Account, byMs: number): Account => ({
  nextAt: nextAt + byMs,
  pausedUntil: pausedUntil + byMs,
})
