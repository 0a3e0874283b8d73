import type { DownlinkRoute } from '../../../core/incident/downlink.ts'
import { isoAt } from '../../../core/ingest/event-time.ts'
import type { DownlinkMessage, DownlinkSender, Enqueued } from '../../../ports/downlink-sender.ts'
import type { HttpAnswer, HttpCall, HttpCaller } from '../../../ports/http-caller.ts'
import { httpFailureText, isHttpSuccess } from '../http/http-failure.ts'

/**
 * The operator's address of the network server: nothing that arrives with an uplink changes where a message and the key
 * are sent. `webhook`: its id in The Things Stack.
 */
type DownlinkTarget = { readonly url: string; readonly key: string; readonly webhook: string | null }

type DownlinkNeeds = { readonly target: DownlinkTarget; readonly caller: Pick<HttpCaller, 'post'> }

/**
 * The queue of a device of The Things Stack v3, through the webhook. Its messages never expire, so an outdated one is
 * withdrawn by replacing the whole queue with nothing.
 */
export function theThingsStackDownlinks({ target, caller }: DownlinkNeeds): DownlinkSender {
  const { url, key, webhook } = target
  const post = (route: DownlinkRoute, operation: 'push' | 'replace', downlinks: readonly object[], timeoutMs: number) =>
    caller.post({
      url: `${url}/api/v3/as/applications/${encodeURIComponent(route.application)}/webhooks/${encodeURIComponent(webhook ?? '')}/devices/${encodeURIComponent(route.device)}/down/${operation}`,
      body: JSON.stringify({ downlinks }),
      headers: { authorization: `Bearer ${key}` },
      timeoutMs,
      about: aboutOf(route),
    })
  return {
    async enqueue({ route, port, payload, ref }, timeoutMs) {
      const downlink = {
        f_port: port,
        frm_payload: Buffer.from(payload).toString('base64'),
        confirmed: true,
        priority: 'HIGH',
        correlation_ids: [ref],
      }
      return enqueuedBy(await post(route, 'push', [downlink], timeoutMs), () => ref)
    },
    async flush(route, timeoutMs) {
      const answer = await post(route, 'replace', [], timeoutMs)
      return answer.kind === 'answered' && isHttpSuccess(answer.status)
    },
  }
}

/** The queue of a device of ChirpStack v4, through its REST API (chirpstack-rest-api). */
export const chirpStackRestDownlinks = ({ target: { url, key }, caller }: DownlinkNeeds): DownlinkSender => ({
  async enqueue(message: DownlinkMessage, timeoutMs) {
    const { route, port, payload, expiresAt, ref } = message
    const answer = await caller.post({
      url: `${url}/api/devices/${route.devEui}/queue`,
      body: JSON.stringify({
        queueItem: {
          confirmed: true,
          fPort: port,
          data: Buffer.from(payload).toString('base64'),
          expiresAt: isoAt(expiresAt),
        },
      }),
      headers: { 'grpc-metadata-authorization': `Bearer ${key}` },
      timeoutMs,
      readsAnswer: true,
      about: aboutOf(route),
    })
    // The server assigns the id. Without it, reports on the message cannot be told from others.
    return enqueuedBy(answer, (body) => idIn(body) ?? ref)
  },
})

const aboutOf = ({ server, devEui }: DownlinkRoute): HttpCall['about'] => ({ channel: 'downlink', server, devEui })

function enqueuedBy(answer: HttpAnswer, refIn: (body: string) => string): Enqueued {
  switch (answer.kind) {
    case 'stopped':
      return { kind: 'failed', error: 'connection failed', retryable: true, mayWait: true }
    case 'unreached':
      return { kind: 'failed', error: answer.error, retryable: true, mayWait: answer.written }
    case 'answered': {
      const { status, body = '' } = answer
      if (isHttpSuccess(status)) return { kind: 'queued', ref: refIn(body) }
      const retryable = status === 408 || status === 429 || status >= 500
      return { kind: 'failed', error: httpFailureText(status), retryable, mayWait: status >= 500 }
    }
    default:
      return answer satisfies never
  }
}

function idIn(body: string): string | null {
  try {
    const { id } = JSON.parse(body)
    return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : null
  } catch {
    return null
  }
}
