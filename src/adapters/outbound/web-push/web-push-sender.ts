import webPush from 'web-push'
import { publicUrlFinding } from '../../../core/account/public-url.ts'
import { SECOND } from '../../../lib/durations.ts'
import type { HttpAnswer, HttpCaller } from '../../../ports/http-caller.ts'
import type { Log } from '../../../ports/log.ts'
import type { PushKeys, PushOutcome, PushSender } from '../../../ports/push-sender.ts'
import { isHttpSuccess } from '../http/http-failure.ts'

const TIMEOUT_MS = 10 * SECOND

type Needs = {
  /** Behind the address guard: browsers name the endpoints. */
  readonly caller: HttpCaller
  readonly publicUrl: () => string
  readonly log: Log
}

/** Web Push. `web-push` encrypts and signs; the call is the house's own, with its guard and its deadline. ADR 0070. */
export function createWebPushSender({ caller, publicUrl, log }: Needs): PushSender {
  /** The request for this message, or null if it cannot be encrypted for these keys. */
  const requestFor = (keys: PushKeys, ...[target, message]: RequestOf): Request | null => {
    const { endpoint, p256dh, auth } = target
    try {
      const { origin } = new URL(endpoint)
      const subject = subjectOf(publicUrl())
      const signed = webPush.getVapidHeaders(origin, subject, keys.publicKey, keys.privateKey, 'aes128gcm')
      const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, message.payload, {
        TTL: message.ttlSeconds,
        topic: message.topic,
        urgency: 'high',
        contentEncoding: 'aes128gcm',
        headers: { Authorization: signed.Authorization },
      })
      const named = Object.entries(headers as Record<string, string | number>)
      return { headers: Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), `${value}`])), body }
    } catch (error) {
      log.warn({ ...message.about, fault: (error as Error).name }, 'a push could not be encrypted')
      return null
    }
  }

  return {
    async send(keys, target, message) {
      const request = requestFor(keys, target, message)
      if (request === null) return { kind: 'refused' }
      const { headers, body } = request
      const { about } = message
      return outcomeOf(await caller.post({ url: target.endpoint, headers, body, timeoutMs: TIMEOUT_MS, about }))
    },
    newKeys: () => webPush.generateVAPIDKeys(),
    close: () => caller.close(),
  }
}

type RequestOf = Parameters<PushSender['send']> extends [PushKeys, ...infer Rest] ? Rest : never
type Request = { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array }

/** The contact for push services about this site (RFC 8292). Some refuse a name of this machine. */
function subjectOf(publicUrl: string): string {
  const isPublic = publicUrl.startsWith('https://') && publicUrlFinding(publicUrl) !== 'public_url_loopback'
  return isPublic ? publicUrl : 'mailto:operator@tocsin.invalid'
}

/** RFC 8030, sections 5 and 7.3. */
function outcomeOf(answer: HttpAnswer): PushOutcome {
  if (answer.kind !== 'answered') return { kind: 'unreachable', retryAfterMs: null }
  const { status, retryAfterMs } = answer
  if (isHttpSuccess(status)) return { kind: 'sent' }
  if (status === 404 || status === 410) return { kind: 'gone' }
  return status === 429 || status >= 500 ? { kind: 'unreachable', retryAfterMs } : { kind: 'refused' }
}
