import { type AttemptOutcome, CANNOT_BE_ASKED } from '../../../core/incident/command.ts'
import type { TextChannel } from '../../../core/incident/delivery.ts'
import type { HttpAnswer, HttpCaller } from '../../../ports/http-caller.ts'
import type { Provider } from '../../../ports/notifier.ts'
import { httpFailureText, isHttpSuccess } from '../http/http-failure.ts'
import { type GatewayCall, gatewayRequest } from './gateway-template.ts'

const PROVIDER = 'http'

/**
 * Statuses with which a gateway refuses this particular message: a retry would end the same way. The cause of any other
 * failure can be fixed at the gateway or in its password, and the alarm waits for that.
 */
const REFUSES_THE_MESSAGE: readonly number[] = [400, 410, 413, 414, 422]

/**
 * The provider `http`: any gateway with an HTTP interface, such as a phone on the local network. A 2xx means that the
 * gateway has accepted the message, so it is `sent`; there is no way to ask whether it arrived (rules.md#outcomes).
 */
export const createGatewayNotifier = (needs: {
  readonly gateway: GatewayCall
  readonly channels: readonly TextChannel[]
  readonly caller: Pick<HttpCaller, 'post'>
}): Provider => ({
  name: PROVIDER,
  channels: needs.channels,
  async send({ channel, to, text, attemptId, incidentId, timeoutMs, leftMs }) {
    const request = gatewayRequest(needs.gateway, { channel, to, text, attemptId })
    const about = { channel, incidentId, attemptId }
    return attemptOutcomeOf(await needs.caller.post({ ...request, timeoutMs, leftMs, about }))
  },
  async lookUp() {
    return CANNOT_BE_ASKED
  },
})

function attemptOutcomeOf(answer: HttpAnswer): AttemptOutcome {
  if (answer.kind === 'stopped') return { kind: 'unknown' }
  if (answer.kind === 'unreached') {
    const { error, written } = answer
    // The gateway may have accepted it, and cannot be asked: rules.md#unknown-outcomes.
    return written ? { kind: 'not_found', error } : { kind: 'failed', error, retryable: true }
  }
  const { status, retryAfterMs } = answer
  if (isHttpSuccess(status)) return { kind: 'sent', provider: PROVIDER, providerRef: null }
  const error = httpFailureText(status)
  if (REFUSES_THE_MESSAGE.includes(status)) return { kind: 'failed', error, retryable: false }
  return { kind: 'failed', error, retryable: true, ...(retryAfterMs !== null && { retryAfterMs }) }
}
