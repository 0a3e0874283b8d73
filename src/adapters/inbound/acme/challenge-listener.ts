import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { SECOND } from '../../../lib/durations.ts'
import { LoopTurns } from '../../../lib/loop-turns.ts'
import { networkOf } from '../../../lib/network-of.ts'
import { Places } from '../../../lib/places.ts'
import type { Balancers } from '../door/balancers.ts'
import { listen } from '../door/listen.ts'
import type { Address, Listening } from '../door/listen-widely.ts'

/** RFC 8555, 8.3. A token is base64url. */
const CHALLENGE = /^\/\.well-known\/acme-challenge\/([\w-]{1,256})$/
const MAX_HEADER_BYTES = 8 * 1024
const MAX_HEADERS = 64
/** For a connection from its first byte to its last. It carries one request. */
const CONNECTION_MS = 10 * SECOND
export const CHALLENGE_CONNECTIONS = 256
/** A CA asks from a few addresses at once. */
const CONNECTIONS_PER_ADDRESS = 32

export type ChallengeNeeds = {
  /** The answer to a token, or null. */
  readonly answerOf: (token: string) => Promise<string | null>
  /** The target of redirects for everything else, as `https://host`; null: none. */
  readonly site: () => string | null
  /** The load balancers whose connections begin with a PROXY header. */
  readonly balancers: Balancers | null
  readonly connectionMs?: number
  /** The number at once. */
  readonly connections?: number
}

/**
 * Listens for a CA that checks whether a name leads here (http-01), and leads everybody else to the site. One short
 * request a connection; newcomers displace those of the network that has the most. Rejects with Node's error if the
 * address is unavailable.
 */
export async function openChallengeListener(at: Address, needs: ChallengeNeeds): Promise<Listening> {
  const { balancers, connectionMs = CONNECTION_MS, connections = CHALLENGE_CONNECTIONS } = needs
  const places = new Places({ max: connections, maxPerAddress: CONNECTIONS_PER_ADDRESS })
  const answered = new WeakSet<object>()
  // It never listens, so Node looks after none of its time-outs: each connection has one deadline.
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false }, (request, response) => {
    // The first answer closes the connection.
    if (answered.has(request.socket)) return
    answered.add(request.socket)
    request.resume()
    response.setHeader('connection', 'close')
    void answer(request, response, needs)
  })
  server.maxHeadersCount = MAX_HEADERS
  return listen(at, {
    loop: new LoopTurns(),
    balancers,
    places,
    meet(socket, { address }) {
      const place = places.take(networkOf(address), () => socket.destroy(), undefined)
      if (place === null) return null
      const deadline = setTimeout(() => socket.destroy(), connectionMs).unref()
      socket.once('close', () => {
        clearTimeout(deadline)
        place.leaves()
      })
      return (stream) => void server.emit('connection', stream)
    },
  })
}

async function answer(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  { answerOf, site }: ChallengeNeeds,
): Promise<void> {
  const [, token] = CHALLENGE.exec(url.split('?', 1)[0]!) ?? []
  if (token === undefined || (method !== 'GET' && method !== 'HEAD')) return elsewhere(url, response, site())
  try {
    const text = await answerOf(token)
    if (text === null) say(response, 404, 'No such challenge.\n')
    else say(response, 200, text)
  } catch {
    say(response, 503, 'The store does not answer.\n')
  }
}

/** 308: an alarm that somebody posts here is posted there again. */
function elsewhere(url: string, response: ServerResponse, site: string | null): void {
  if (site === null) {
    say(response, 404, 'Nothing here.\n')
    return
  }
  // A proxy may ask for a whole address. The host that it names does not count.
  response.setHeader('location', `${site}${url.startsWith('/') ? url : '/'}`)
  say(response, 308, `This site is at ${site}\n`)
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).end(text)
}
