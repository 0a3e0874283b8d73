import type { Server as HttpServer, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { ignore } from '../../../../lib/ignore.ts'
import { Paced } from '../../door/paced.ts'
import { MAX_CHUNKS, MAX_FRAMES, MAX_IDLE_FRAMES, MAX_UNREAD_PONG_BYTES, UNKNOWN_PACKET_BYTES } from '../limits.ts'
import { WebSocketFrames } from '../wire/web-socket-frames.ts'
import type { PendingConnection } from './pending-connections.ts'
import type { Accepting, Remote } from './remote.ts'
import { WebSocketStream } from './web-socket-stream.ts'

/** MQTT 3.1.1, section 6; older browser clients ask for `mqttv3.1`. */
const SUBPROTOCOLS = ['mqtt', 'mqttv3.1']
const UNSUPPORTED_DATA = 1003
const FAREWELL_MS = 1000
const TOO_MUCH = 1009
/** A message may hold several packets. */
const MESSAGE_PACKETS = 4
/** The shortest frame has 6 bytes, so a piece holds hundreds of them: ws parses all that it gets in one go. */
const PIECE_BYTES = 4 * 1024
const NOTHING = Buffer.alloc(0)

type WebSocketNeeds = {
  readonly maxPacketBytes: number
  /** The client's address, if a proxy in front knows it better. */
  readonly addressOf?: (request: IncomingMessage) => string
}

/**
 * Serves MQTT over WebSocket on the upgrades that an HTTP listener passes on. Binary frames only. An HTTP server does
 * not finish closing while a WebSocket is open, so close the broker first (Fastify: in `preClose`).
 */
export function listenOnUpgrade(server: HttpServer, needs: WebSocketNeeds, accepting: Accepting): { close(): void } {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MESSAGE_PACKETS * needs.maxPacketBytes,
    maxBufferedChunks: MAX_CHUNKS,
    autoPong: false,
    handleProtocols: (offered) => SUBPROTOCOLS.find((name) => offered.has(name)) ?? false,
  })
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', ignore)
    if (!(socket instanceof Paced)) throw new TypeError('the server takes its connections from elsewhere')
    // Not the request itself: it would keep its headers in memory as long as the connection lives.
    const remote: Remote = {
      address: needs.addressOf?.(request) ?? socket.remoteAddress,
      way: socket.encrypted ? 'wss' : 'ws',
    }
    let isRefused = true
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      isRefused = false
      carry(webSocket, socket, { remote, accepting, maxPacketBytes: needs.maxPacketBytes })
    })
    if (isRefused) endSoon(socket)
  }
  server.on('upgrade', upgrade)
  return {
    close() {
      server.off('upgrade', upgrade)
      sockets.close()
    },
  }
}

/** It has given up its place: a client that takes no answer must not keep one. */
const endSoon = (socket: Duplex): void => void setTimeout(() => socket.destroy(), FAREWELL_MS).unref()

type Carried = { readonly remote: Remote; readonly accepting: Accepting; readonly maxPacketBytes: number }

/** Passes the bytes of a WebSocket on as a stream. While nobody reads the stream, the connection is not read either. */
function carry(webSocket: WebSocket, connection: Paced, { remote, accepting, maxPacketBytes }: Carried): void {
  const stream = new WebSocketStream(webSocket, maxPacketBytes)
  const pending = accepting.accept(stream, remote)
  const turnAway = (code: number, why: string): void => {
    webSocket.close(code, why)
    stream.destroy()
  }
  /** The client gets the close code and a moment to read it; ws would go on reading for half a minute. */
  const terminateSoon = (): void => void setTimeout(() => webSocket.terminate(), FAREWELL_MS).unref()
  webSocket.on('error', () => {
    setImmediate(() => connection.pause())
    terminateSoon()
  })
  const frame = watchFrames({
    end: () => webSocket.terminate(),
    pause(ms) {
      stream.hold(true)
      setTimeout(() => stream.hold(false), ms).unref()
    },
  })
  webSocket.on('ping', (bytes) => {
    frame(0)
    if (connection.writableLength < MAX_UNREAD_PONG_BYTES) webSocket.pong(bytes)
  })
  webSocket.on('pong', () => frame(0))
  webSocket.on('message', (message: Buffer, isBinary) => {
    if (isBinary) frame(message.length)
    else turnAway(UNSUPPORTED_DATA, 'only binary frames are allowed')
  })
  const mayPass = boundBeforeLogin(pending, () => {
    turnAway(TOO_MUCH, 'too much data before CONNECT')
    terminateSoon()
  })
  const frames = new WebSocketFrames(MESSAGE_PACKETS * maxPacketBytes)
  const inTurn = accepting.turnOf(remote.address)
  connection.follow({
    inTurn: (_unread, pass) => inTurn(pass),
    isReady: () => true,
    take(unread) {
      const piece = unread.take(PIECE_BYTES)
      if (mayPass(piece.length)) return frames.rewrite(piece)
      connection.ignore()
      return NOTHING
    },
    passed() {},
    mayEnd: () => true,
    // A reader that has paused or closed the connection gets none of the bytes from before the break.
    isOwed: (unread) => unread > 0 && !webSocket.isPaused && webSocket.readyState === WebSocket.OPEN,
    came() {},
  })
}

/**
 * A message is not a packet yet, and ws holds it in memory. So until the CONNECT is complete, all bytes of the
 * connection count, including frame headers. Returns whether as many more may be passed on; calls `tooMuch` once.
 */
function boundBeforeLogin(pending: PendingConnection, tooMuch: () => void): (bytes: number) => boolean {
  let early = 0
  let isRefused = false
  const check = (): void => {
    if (isRefused || pending.hasAsked()) return
    isRefused = true
    tooMuch()
  }
  return (bytes) => {
    if (isRefused || pending.hasAsked()) return !isRefused
    early += bytes
    // A CONNECT in this piece is read first.
    if (early > UNKNOWN_PACKET_BYTES) setImmediate(check)
    return true
  }
}

/**
 * Counts frames by the bytes they carry. Too many pause the connection until the second is over; too many empty ones
 * end it.
 */
function watchFrames(on: { readonly end: () => void; readonly pause: (ms: number) => void }): (bytes: number) => void {
  let since = performance.now()
  let frames = 0
  let idle = 0
  return (bytes) => {
    const now = performance.now()
    if (now - since >= 1000) {
      since = now
      frames = 0
      idle = 0
    }
    frames += 1
    if (bytes === 0) idle += 1
    if (idle > MAX_IDLE_FRAMES) on.end()
    else if (frames === MAX_FRAMES) on.pause(1000 - (now - since))
  }
}
