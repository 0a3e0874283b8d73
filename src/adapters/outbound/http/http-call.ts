import { Agent, request } from 'undici'
import type { HttpCaller } from '../../../ports/http-caller.ts'
import type { Log } from '../../../ports/log.ts'
import type { Resolve } from './address-guard.ts'
import { isBlockedAddress } from './blocked-address.ts'
import { deadlineOf, refuseIfOver } from './deadline.ts'
import { noticingFirstByte } from './first-byte.ts'
import { guardedConnector } from './guarded-connector.ts'
import { codeOf, failureText, leavesCauseOpen, retryAfterMs } from './http-failure.ts'
import type { LanHosts } from './lan-hosts.ts'

/** Per target, so that a burst of incidents does not open a thousand sockets to a small gateway. */
const CONNECTIONS_PER_ORIGIN = 64
/** Limit for reading an unused response body, so that the connection can be reused. */
const BODY_LIMIT_BYTES = 64 * 1024

export type HttpCallerNeeds = {
  /** Refuse addresses that are not public. */
  readonly guarded: boolean
  /** Hosts in the local network that may be called all the same, asked for each connection. Absent: none. */
  readonly lan?: LanHosts
  readonly resolve: Resolve
  /** Epoch ms. */
  readonly now: () => number
  readonly log: Log
}

/** Calls HTTP endpoints of third parties: keep-alive, no redirects, HTTP/1.1. */
export function createHttpCaller(needs: HttpCallerNeeds): HttpCaller & {
  /** Further calls open connections of their own; those under way end on the former ones. */
  renew(): void
} {
  const { guarded, lan = () => false, resolve, now, log } = needs
  const isBlocked = (address: string, host: string): boolean => isBlockedAddress(address) && !lan(address, host)
  const agentOf = () =>
    new Agent({
      connect: guardedConnector(resolve, guarded ? isBlocked : null),
      connections: CONNECTIONS_PER_ORIGIN,
      // One deadline covers the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  let agent = agentOf()
  let closed = false
  return {
    async post({ url, body, headers = {}, timeoutMs, leftMs, readsAnswer, about }) {
      let written = false
      try {
        const deadline = deadlineOf(timeoutMs, leftMs)
        const starts = () => {
          refuseIfOver(leftMs)
          written = true
        }
        const answer = await request(url, {
          method: 'POST',
          dispatcher: agent.compose(noticingFirstByte(starts)),
          signal: deadline,
          headers: { 'content-type': 'application/json', 'user-agent': 'tocsin', ...credentials(url), ...headers },
          body,
        })
        const head = {
          kind: 'answered',
          status: answer.statusCode,
          retryAfterMs: retryAfterMs(answer.headers, now()),
        } as const
        if (readsAnswer) return { ...head, body: await textOf(answer.body) }
        // The status line and headers decide. The body is drained in the background, within the same deadline and a
        // limit.
        answer.body.dump({ limit: BODY_LIMIT_BYTES, signal: deadline }).catch(() => {})
        return head
      } catch (error) {
        if (closed) return { kind: 'stopped' }
        const text = failureText(error)
        // Only the kind of error: the messages and URLs of integrations contain their secrets.
        if (leavesCauseOpen(text)) log.warn({ ...about, fault: kindOf(error) }, `a call failed: ${text}`)
        return { kind: 'unreached', error: text, written }
      }
    },
    renew() {
      const former = agent
      agent = agentOf()
      void former.close().catch(() => {})
    },
    close() {
      closed = true
      return agent.destroy()
    },
  }
}

/** The body as text; empty if it is too long, because then it is not the expected response. */
async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > BODY_LIMIT_BYTES) return ''
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** User and password in a URL are sent as basic authentication. */
function credentials(url: string): { authorization?: string } {
  const { username, password } = new URL(url)
  if (username === '' && password === '') return {}
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(plain).toString('base64')}` }
}

const kindOf = (error: unknown): string => codeOf(error) || (error instanceof Error ? error.name : typeof error)
