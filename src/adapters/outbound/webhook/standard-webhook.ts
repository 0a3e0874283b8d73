import { createHmac } from 'node:crypto'
import { SECOND } from '../../../lib/durations.ts'

const SECRET_PREFIX = 'whsec_'

/**
 * The headers of the Standard Webhooks convention for one try. `at`: epoch ms of this try. Without a secret nothing is
 * signed. `secret`: base64 behind `whsec_`, else its UTF-8 bytes.
 */
export function signedHeaders(message: {
  readonly id: string
  readonly at: number
  readonly body: string
  readonly secret: string | null
}): Record<string, string> {
  const { id, body, secret } = message
  const timestamp = String(Math.floor(message.at / SECOND))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(secret !== null && { 'webhook-signature': `v1,${signature(secret, `${id}.${timestamp}.${body}`)}` }),
  }
}

const signature = (secret: string, signed: string): string =>
  createHmac('sha256', keyOf(secret)).update(signed, 'utf8').digest('base64')

const keyOf = (secret: string): Buffer =>
  secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8')

/**
 * The `webhook-id`, by which a receiver knows a retry from news: made of the incident, of what the call is about
 * and of the occurrence, so that it survives retries, crashes and restores without being stored, while an alarm
 * that is raised again is not mistaken for the first one. No full stop: that one separates the signed parts.
 * `occurrence` counts from 1.
 */
export function webhookId(incidentId: string, body: unknown, occurrence: number): string {
  const type = typeof body === 'object' && body !== null && 'type' in body ? String(body.type) : 'sos'
  return `msg_${incidentId}_${type}${occurrence > 1 ? `_${occurrence}` : ''}`.replaceAll('.', '_')
}
