import {
  type PushSubscription,
  problemOfAuth,
  problemOfEndpoint,
  problemOfP256dh,
} from '../../core/account/push-subscription.ts'
import type { FieldProblem } from '../../core/ingest/fields.ts'

/** A subscription as the browser hands it over. */
export type Subscribing = {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
  readonly language: PushSubscription['language']
  readonly wholeText: boolean
}

/** `isBlockedHost`: whether the address guard refuses this host as it stands. */
export function subscribingProblems(
  { endpoint, keys: { p256dh, auth } }: Subscribing,
  isBlockedHost: (host: string) => boolean,
): readonly FieldProblem[] {
  const problem = problemOfEndpoint(endpoint)
  const isBlocked = problem === null && isBlockedHost(new URL(endpoint).hostname)
  return [
    { field: 'endpoint', message: isBlocked ? 'must be a public address' : problem },
    { field: 'keys.p256dh', message: problemOfP256dh(p256dh) },
    { field: 'keys.auth', message: problemOfAuth(auth) },
  ].flatMap(({ field, message }) => (message === null ? [] : [{ field, message }]))
}
