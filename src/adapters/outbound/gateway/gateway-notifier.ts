import type { AttemptOutcome } from '../../../core/incident/command.ts'
import type { TextChannel } from '../../../core/incident/text-channels.ts'
import type { HttpAnswer, HttpCaller } from '../../../ports/http-caller.ts'
import type { Provider } from '../../../ports/notifier.ts'
import { httpFailureText, isHttpSuccess } from '../http/http-failure.ts'
import { type GatewayCall, gatewayRequest } from './gateway-template.ts'

const PROVIDER = 'http'

/**
 * Statuses with which a gateway refuses this very message: another try would end the same way. Any other one may be
 * over as soon as somebody has mended the gateway or its password, which an alarm waits for.
 */
const REFUSES_THE_MESSAGE: readonly number[] = [400, 410, 413, 414, 422]

/**
 * The provider `http`: any gateway with an HTTP interface, such as a phone on the local network. A 2xx says that the
 * gateway has taken the message, so it is `sent`; whether it arrived nobody can ask. rules.md#outcomes.
 */
export const createGatewayNotifier = (parts: {
  readonly gateway: GatewayCall
  readonly channels: readonly TextChannel[]
  readonly caller: Pick<HttpCaller, 'post'>
}): Provider => ({
  name: PROVIDER,
  channels: parts.channels,
  async send({ channel, to, text, attemptId, incidentId, timeoutMs }) {
    const request = gatewayRequest(parts.gateway, { channel, to, text, attemptId })
    const about = { channel, incidentId, attemptId }
    return attemptOutcomeOf(await parts.caller.post({ ...request, timeoutMs, about }))
  },
  async lookUp() {
    return { kind: 'not_found', error: 'connection timeout' }
  },
})

function attemptOutcomeOf(answer: HttpAnswer): AttemptOutcome {
  if (answer.kind === 'stopped') return { kind: 'unknown' }
  if (answer.kind === 'unreached') {
    const { error, written } = answer
    // It may have been taken, and nobody can be asked: rules.md#unknown-outcomes.
    return written ? { kind: 'not_found', error } : { kind: 'failed', error, retryable: true }
  }
  const { status, retryAfterMs } = answer
  if (isHttpSuccess(status)) return { kind: 'sent', provider: PROVIDER, providerRef: null }
  const error = httpFailureText(status)
  if (REFUSES_THE_MESSAGE.includes(status)) return { kind: 'failed', error, retryable: false }
  return { kind: 'failed', error, retryable: true, ...(retryAfterMs !== null && { retryAfterMs }) }
}
