import { Agent, request } from 'undici'
import { DAY, SECOND } from '../../../lib/durations.ts'
import { CaError } from '../../../ports/certificate-authority.ts'
import { systemResolve } from '../http/address-guard.ts'
import { guardedConnector } from '../http/guarded-connector.ts'
import { failureText, isBlockedFailure, retryAfterMs } from '../http/http-failure.ts'
import { oneLine } from './one-line.ts'

/** The end of a sentence that begins with a host. */
const NEEDS_LISTING =
  'is not a public address: list it in notifications.lanHosts if the CA is in the local network; a CA on this machine is named in the file'
/** From the name look-up to the last byte of the answer. */
const TIMEOUT_MS = 30 * SECOND
/** A chain has a few kilobytes. */
const MAX_BODY_BYTES = 256 * 1024
/** A CA may ask for more patience than anything else that the service calls. */
const MAX_RETRY_AFTER_MS = 7 * DAY

export type AcmeAnswer = {
  readonly status: number
  /** The value of a header, or null. */
  readonly header: (name: string) => string | null
  readonly body: string
  readonly retryAfterMs: number | null
}

export type AcmeCall = {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly url: string
  readonly body?: string
  readonly accept?: string
}

export type AcmeHttpNeeds = {
  /** The addresses of a CA have the protocol of its directory. */
  readonly directory: string
  /** Epoch ms. */
  readonly now: () => number
  readonly signal: AbortSignal
  readonly timeoutMs?: number
  /** The addresses that are refused (access.md#address-guard). Null or absent: none. */
  readonly isBlocked?: ((address: string, host: string) => boolean) | null
}

/** The CA's host, for sentences. */
export const hostOf = (directory: string): string => new URL(directory).host

/**
 * Calls a CA: one answer or a `CaError`, in bounded time and memory. Follows no redirects. Each call has a connection
 * of its own: an attempt makes a dozen calls, every two months.
 */
export async function callAcme(needs: AcmeHttpNeeds, call: AcmeCall): Promise<AcmeAnswer> {
  const { directory, now, signal, timeoutMs = TIMEOUT_MS, isBlocked = null } = needs
  const host = hostOf(directory)
  const { protocol } = URL.parse(call.url) ?? {}
  if (protocol !== new URL(directory).protocol) {
    throw new CaError('unreachable', `${host} answered with an address of no use: ${oneLine(call.url)}`)
  }
  const connect = guardedConnector(systemResolve(), isBlocked)
  const agent = new Agent({ connect, connections: 1, pipelining: 0, headersTimeout: 0, bodyTimeout: 0 })
  try {
    const answer = await request(call.url, {
      method: call.method,
      dispatcher: agent,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: {
        'user-agent': 'tocsin',
        'accept-language': 'en',
        ...(call.accept && { accept: call.accept }),
        ...(call.body !== undefined && { 'content-type': 'application/jose+json' }),
      },
      ...(call.body !== undefined && { body: call.body }),
    })
    const { headers } = answer
    return {
      status: answer.statusCode,
      header: (name) => [headers[name] ?? []].flat()[0] ?? null,
      body: await textOf(answer.body, host),
      retryAfterMs: retryAfterMs(headers, now(), MAX_RETRY_AFTER_MS),
    }
  } catch (error) {
    if (error instanceof CaError) throw error
    if (isBlockedFailure(error)) throw new CaError('not_ready', `${new URL(call.url).hostname} ${NEEDS_LISTING}`)
    throw new CaError('unreachable', `${host} could not be reached: ${failureText(error)}`)
  } finally {
    await agent.destroy()
  }
}

async function textOf(body: AsyncIterable<Buffer>, host: string): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > MAX_BODY_BYTES) throw new CaError('unreachable', `${host} sent an answer that is too long`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
