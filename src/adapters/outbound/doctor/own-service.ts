import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { SECOND } from '../../../lib/durations.ts'
import { failureText } from '../http/http-failure.ts'

const WITHIN_MS = 6 * SECOND
const MAX_BYTES = 4 * 1024 * 1024

/** The answer, with its body. Resolves with a failure text if there is none. Never rejects. */
export function askOwn(
  url: string,
): Promise<{ readonly status: number; readonly body: string } | { readonly failed: string }> {
  return new Promise((resolve) => {
    // The question is whether the service answers, not whether its certificate names the address of this machine.
    const options = {
      timeout: WITHIN_MS,
      signal: AbortSignal.timeout(WITHIN_MS),
      rejectUnauthorized: false,
      agent: false,
    }
    const asking = (url.startsWith('https:') ? requestSecure : requestPlain)(url, options, (answer) => {
      let body = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => {
        body += piece
        if (body.length > MAX_BYTES) asking.destroy(new Error('too long'))
      })
      answer.on('error', (error) => resolve({ failed: failureText(error) }))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
    })
    asking.on('error', (error) => resolve({ failed: failureText(error) }))
    asking.end()
  })
}

/** The values of metrics without labels in the Prometheus text, by name. */
export const valuesIn = (text: string): ReadonlyMap<string, number> =>
  new Map(
    [...text.matchAll(/^([a-z_]+)(?:\{result="passed"\})? (\S+)$/gm)].map(([, name, value]) => [name!, Number(value)]),
  )
