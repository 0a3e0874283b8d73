import { DAY, HOUR } from '../../lib/durations.ts'
import type { Decided, Refused } from '../decided.ts'
import type { OperatorAccount } from './decide-operator.ts'
import type { NewSession } from './session.ts'

/** How long the address for the first administrator works. */
export const SETUP_MS = DAY

/**
 * The one address for the first administrator of a site without operators. `hash`: of the secret behind `#`, which only
 * the node that made it has shown. `node`: that node; null where one process has the store. access.md#operators.
 */
export type SetupLink = {
  readonly hash: string
  readonly node: string | null
  readonly createdAt: number
  readonly expiresAt: number
}

/** `operators`: how many there are, disabled ones and those who never signed in included. */
export type SetupSituation = { readonly operators: number; readonly link: SetupLink | null }

/** Whether a link still works. One that seems to be from the future was stamped by a fast clock: it has ended. */
export const isInForce = ({ createdAt, expiresAt }: SetupLink, now: number): boolean =>
  now < expiresAt && createdAt <= now + HOUR

export type NoOffer =
  | Refused<'operators_exist'>
  | (Refused<'offered_elsewhere'> & { readonly node: string; readonly expiresAt: number })

/**
 * Replaces the link, unless another node in `running` has made one that still works: of nodes that start together, the
 * first one's counts. A node that starts again replaces its own.
 */
export function decideOfferSetup(
  { operators, link }: SetupSituation,
  offered: SetupLink,
  running: readonly string[],
): NoOffer | { readonly keep: SetupLink } {
  if (operators > 0) return { refused: 'operators_exist' }
  if (link === null || link.node === null || link.node === offered.node) return { keep: offered }
  if (!running.includes(link.node) || !isInForce(link, offered.createdAt)) return { keep: offered }
  return { refused: 'offered_elsewhere', node: link.node, expiresAt: link.expiresAt }
}

/** Uses the link up: adds the first administrator and opens a session, while there is no operator. */
export function decideUseSetup(
  { operators, link }: SetupSituation,
  hash: string,
  insert: OperatorAccount,
  open: NewSession,
): Decided<
  { readonly insert: OperatorAccount; readonly open: NewSession },
  { readonly used: true },
  'setup_not_found'
> {
  const works = operators === 0 && link !== null && link.hash === hash && isInForce(link, open.createdAt)
  return works ? { insert, open, result: { used: true } } : { refused: 'setup_not_found' }
}
