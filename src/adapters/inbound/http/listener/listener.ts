import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { LoopTurns } from '../../../../lib/loop-turns.ts'
import type { LoopWatch } from '../../../../lib/loop-watch.ts'
import { networkOf } from '../../../../lib/network-of.ts'
import { Places } from '../../../../lib/places.ts'
import type { Balancers } from '../../door/balancers.ts'
import { type Client, type Enter, listen } from '../../door/listen.ts'
import type { Address, Listening } from '../../door/listen-widely.ts'
import { READ_AHEAD_BYTES } from '../../door/over-socket.ts'
import { Paced } from '../../door/paced.ts'
import type { Certificate } from '../../door/secure.ts'
import { answerClientError, LateRequest } from './client-errors.ts'
import { CONNECTIONS_PER_ADDRESS, Connections, type ListenerTimes, listenerTimes } from './connections.ts'
import { Line } from './line.ts'
import { isPlain } from './plain-request.ts'
import { type CallerOf, callerByConnection } from './request-caller.ts'

/** The path of MQTT over WebSocket (protocol.md#mqtt). */
export const WEBSOCKET_PATH = '/mqtt'
const MAX_HEADER_BYTES = 16 * 1024
/** Further ones are ignored. Each takes a hundred bytes of memory, and 16 KiB hold thousands. */
const MAX_HEADERS = 128
const CLOSE_CHECK_MS = 50

/** Options of a listener; each has its default. */
export type ListenerOptions = {
  readonly times?: ListenerTimes
  /** Counts connections. */
  readonly places?: Places
  /** Whether the address is a trusted proxy, whose connections carry many clients. */
  readonly isProxy?: (address: string) => boolean
  /** Requests of different connections share the main thread by these turns. */
  readonly loop?: LoopTurns
  readonly callerOf?: CallerOf
  /** Tells when the main thread stood still. */
  readonly watch?: LoopWatch
  /** The load balancers whose connections begin with a PROXY header. */
  readonly balancers?: Balancers | null
}

export type HttpListener = {
  /** Reads what clients send; it never listens. Its `upgrade` listeners get only WebSocket handshakes for `/mqtt`. */
  readonly server: Server
  /** Listens, with a certificate for HTTPS. Resolves to the URL. Rejects with Node's error if the port is taken. */
  listen(at: Address, certificate?: Certificate): Promise<string>
  /**
   * Accepts no new connections, gives requests in progress a moment to finish, then ends everything that came in, also
   * any WebSockets still open.
   */
  close(): Promise<void>
}

/** For a listener on its own. */
const ownPlaces = (): Places =>
  new Places({ max: 16 * CONNECTIONS_PER_ADDRESS, maxPerAddress: CONNECTIONS_PER_ADDRESS })

/**
 * Listeners around `handler`, plain and with TLS, with time-outs for slow senders and readers, and with error bodies
 * for input that never becomes a request. What connections send is parsed in turns of their addresses, and a request is
 * passed on when it is its caller's turn.
 */
export function createListener(handler: RequestListener, options: ListenerOptions = {}): HttpListener {
  const {
    times = listenerTimes,
    places = ownPlaces(),
    isProxy = () => false,
    loop = new LoopTurns(),
    callerOf = callerByConnection,
    watch,
    balancers = null,
  } = options
  // It never listens, and Node looks after the time-outs and the idle connections of a listening server only: `Line`
  // and `Connections` do.
  const server: Server = createServer({
    keepAliveTimeout: times.keepAliveMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    highWaterMark: READ_AHEAD_BYTES,
    // Nothing here depends on the host, and Node's own refusal has no error body.
    requireHostHeader: false,
    // Other protocols, such as `h2c`, may be ignored (RFC 9110, 7.8), and the request is served as it is.
    shouldUpgradeCallback(request) {
      const { url = '', headers, socket } = request
      const wanted = url.split('?', 1)[0] === WEBSOCKET_PATH && headers.upgrade?.toLowerCase() === 'websocket'
      const upgraded = wanted && isPlain(request) && server.listenerCount('upgrade') > 0
      if (upgraded) connections.leaves(socket)
      return upgraded
    },
  })
  server.maxHeadersCount = MAX_HEADERS

  const brokenOff = (error: Error, stream: Duplex): void => {
    const line = connections.lineOf(stream)
    line?.breakOff()
    answerClientError(error, stream, line?.last)
  }
  const connections = new Connections(times, ({ connection }) => brokenOff(new LateRequest(), connection))
  const requested = (request: IncomingMessage, response: ServerResponse): void =>
    connections.lineOf(request.socket)!.request(request, response)
  // An alarm is not turned away for an unknown expectation.
  server.on('request', requested).on('checkExpectation', requested).on('clientError', brokenOff)

  const handleInTurn: RequestListener = (request, response) => {
    loop.run(callerOf(request), () => {
      if (!request.socket.destroyed) handler(request, response)
    })
  }

  const sockets = new Set<Socket>()
  const meet = (socket: Socket, client: Client): Enter | null => {
    let paced: Paced | null = null
    const perAddress = isProxy(client.address) ? Number.MAX_SAFE_INTEGER : undefined
    const place = places.take(networkOf(client.address), () => (paced ?? socket).destroy(), perAddress)
    if (place === null) return null
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      if (paced === null) place.leaves()
    })
    return (stream, since, below) => {
      paced = new Paced(stream, { ...client, since, below }, watch)
      const line = new Line(paced, place, { handler: handleInTurn, loop })
      connections.add(line)
      server.emit('connection', paced)
      paced.follow(line)
    }
  }

  const doors: Listening[] = []
  return {
    server,
    async listen(at, certificate) {
      const isSecure = certificate !== undefined
      const door = await listen(at, {
        loop,
        balancers,
        places,
        // A client that has finished sending still gets its answer, and its bytes wait for their turn.
        allowHalfOpen: true,
        ...(watch && { watch }),
        ...(isSecure && { tls: { certificate, handshakeMs: times.handshakeMs } }),
        meet,
      })
      doors.push(door)
      return `${isSecure ? 'https' : 'http'}://${door.authority}`
    },
    async close() {
      const closed = Promise.all(doors.map((door) => door.close()))
      // Otherwise a connection whose last request ends after `close` would stay open for the next one.
      const idle = setInterval(() => connections.endIdle(), CLOSE_CHECK_MS)
      const grace = setTimeout(() => {
        connections.end()
        for (const socket of sockets) socket.destroy()
      }, times.closeMs)
      await closed
      clearInterval(idle)
      clearTimeout(grace)
      connections.close()
    },
  }
}
