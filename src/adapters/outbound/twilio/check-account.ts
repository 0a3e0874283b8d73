import { SECOND } from '../../../lib/durations.ts'
import { createTwilioTransport, faultOf, RequestFailed } from './request-client.ts'

const WITHIN_MS = 6 * SECOND

/**
 * Reads the account, which proves the credentials and sends nothing. Resolves with its status, or with a text on why it
 * cannot be read. Never rejects.
 */
export async function checkAccount({
  accountSid,
  authToken,
  baseUrl,
}: {
  readonly accountSid: string
  readonly authToken: string
  readonly baseUrl: string
}): Promise<{ readonly status: string } | { readonly failure: string }> {
  const transport = createTwilioTransport({ baseUrl, requestsAtOnce: 1, now: () => Date.now() })
  try {
    const uri = `https://api.twilio.com/2010-04-01/Accounts/${accountSid}.json`
    const asked = { method: 'GET', uri, username: accountSid, password: authToken }
    const { body } = await transport.client(WITHIN_MS).request(asked)
    const status = (body as { readonly status?: unknown }).status
    return typeof status === 'string' && /^\w{1,20}$/.test(status) ? { status } : { failure: 'an unreadable answer' }
  } catch (error) {
    if (error instanceof RequestFailed && error.failure.kind === 'refused' && error.failure.status === 401) {
      return { failure: 'the credentials are not accepted' }
    }
    return { failure: faultOf(error) }
  } finally {
    await transport.close()
  }
}
