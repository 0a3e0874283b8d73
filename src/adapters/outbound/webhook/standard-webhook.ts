import { createHmac } from 'node:crypto'
import { SECOND } from '../../../lib/durations.ts'

const SECRET_PREFIX = 'whsec_'

/**
 * The Standard Webhooks headers for one try. `at`: epoch ms of this try. Without a secret, nothing is signed. `secret`:
 * base64 after `whsec_`, otherwise its UTF-8 bytes.
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
 * The `webhook-id`, by which a receiver tells a retry from a new event. It consists of the incident, the type of the
 * call and the occurrence, so that it survives retries, crashes and restores without being stored, while a repeated
 * alarm is not mistaken for the first. It contains no full stop, which separates the signed parts. `occurrence` counts
 * from 1.
 */
export function webhookId(incidentId: string, body: unknown, occurrence: number): string {
  const type = typeof body === 'object' && body !== null && 'type' in body ? String(body.type) : 'sos'
  return `msg_${incidentId}_${type}${occurrence > 1 ? `_${occurrence}` : ''}`.replaceAll('.', '_')
}
