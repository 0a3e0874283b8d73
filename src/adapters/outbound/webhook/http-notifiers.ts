import { type AttemptOutcome, CANNOT_BE_ASKED } from '../../../core/incident/command.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { HttpAnswer, HttpCall, HttpCaller } from '../../../ports/http-caller.ts'
import type { Log } from '../../../ports/log.ts'
import type { Notification, Notifier } from '../../../ports/notifier.ts'
import { type Resolve, systemResolve } from '../http/address-guard.ts'
import { type AddressGuard, publicGuard } from '../http/guarded-socket.ts'
import { createHttpCaller } from '../http/http-call.ts'
import { httpFailureText, isHttpSuccess } from '../http/http-failure.ts'
import type { LanHosts } from '../http/lan-hosts.ts'
import { chatPost } from './chat-format.ts'
import { signedHeaders, webhookId } from './standard-webhook.ts'

type ContactHttpNotification = Extract<Notification, { channel: 'http' }>
type ChatNotification = Extract<Notification, { channel: 'chat' }>
type WebhookNotification = Extract<Notification, { channel: 'webhook' }>

export type HttpNotifiers = {
  readonly http: Notifier<ContactHttpNotification>
  readonly chat: Notifier<ChatNotification>
  readonly webhook: Notifier<WebhookNotification>
  /** Calls without the guard, for the operator's own gateway. */
  readonly caller: HttpCaller
  /** Calls behind the guard. */
  readonly guardedCaller: HttpCaller
  /** For connections of other protocols; null: private targets are allowed. */
  readonly guard: AddressGuard | null
  /** The hosts of the local network have changed: no call uses a connection from before. */
  renewGuarded(): void
  /** Ends every connection. */
  close(): Promise<void>
}

/**
 * The notifiers that call an integrator's own HTTP endpoints. Chat and webhook are behind the address guard unless
 * `allowPrivateTargets`; a contact's own gateway never is (access.md#address-guard). `resolve`: the name resolver.
 */
export function createHttpNotifiers(needs: {
  readonly allowPrivateTargets: boolean
  /** Hosts in the local network that chat and webhook may call. Absent: none. */
  readonly lan?: LanHosts
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly resolve?: Resolve
}): HttpNotifiers {
  const { allowPrivateTargets, lan, clock, log, resolve = systemResolve() } = needs
  const now = () => clock.now()
  // Two connection pools, so that a guarded call never uses a connection opened without the guard.
  const open = createHttpCaller({ guarded: false, resolve, now, log })
  const guarded = createHttpCaller({ guarded: !allowPrivateTargets, ...(lan && { lan }), resolve, now, log })

  const notifier = <N extends Notification>(
    caller: HttpCaller,
    compose: (notification: N) => Omit<HttpCall, 'timeoutMs' | 'leftMs' | 'about'>,
  ): Notifier<N> => ({
    async send(notification) {
      const { channel, attemptId, incidentId, timeoutMs, leftMs } = notification
      const about = { channel, incidentId, attemptId }
      try {
        return attemptOutcomeOf(await caller.post({ ...compose(notification), timeoutMs, leftMs, about }), channel)
      } catch (error) {
        log.error({ ...about, reason: (error as Error).name }, 'could not compose a call')
        return { kind: 'failed', error: 'connection failed', retryable: true }
      }
    },
    lookUp: cannotBeAsked,
  })

  return {
    http: notifier(open, ({ url, body }) => ({ url, body: JSON.stringify(body) })),
    chat: notifier(guarded, ({ format, url, text }) => {
      const post = chatPost(format, url, text)
      return { url: post.url, body: JSON.stringify(post.body) }
    }),
    webhook: notifier(guarded, ({ incidentId, url, secret, body, occurrence }: WebhookNotification) => {
      const text = JSON.stringify(body)
      const id = webhookId(incidentId, body, occurrence)
      return { url, body: text, headers: signedHeaders({ id, at: now(), body: text, secret }) }
    }),
    caller: open,
    guardedCaller: guarded,
    guard: allowPrivateTargets ? null : publicGuard(lan, resolve),
    renewGuarded: () => guarded.renew(),
    async close() {
      await Promise.all([open.close(), guarded.close()])
    },
  }
}

/** Plain HTTP offers no way to ask for the status of an earlier call. */
const cannotBeAsked = async (): Promise<AttemptOutcome> => CANNOT_BE_ASKED

/**
 * A 2xx is delivered; anything else has failed and is retryable, including a blocked address, because a captive portal
 * answers for every name until someone logs in. Only 410 Gone is final, by the convention of webhooks.
 * rules.md#outcomes.
 */
function attemptOutcomeOf(answer: HttpAnswer, provider: string): AttemptOutcome {
  // A call cut off by our own shutdown has not failed: after the restart it is made again.
  if (answer.kind === 'stopped') return { kind: 'unknown' }
  if (answer.kind === 'unreached') return { kind: 'failed', error: answer.error, retryable: true }
  const { status, retryAfterMs } = answer
  if (isHttpSuccess(status)) return { kind: 'delivered', provider, providerRef: null }
  const error = httpFailureText(status)
  if (status === 410) return { kind: 'failed', error, retryable: false }
  return { kind: 'failed', error, retryable: true, ...(retryAfterMs !== null && { retryAfterMs }) }
}
