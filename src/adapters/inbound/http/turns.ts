import type { RequestListener, Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { LoopTurns } from '../../../lib/loop-turns.ts'
import type { LoopWatch } from '../../../lib/loop-watch.ts'
import { Line } from './line.ts'
import { type CallerOf, callerByConnection } from './request-caller.ts'

/** How requests of different connections share the main thread, and what tells when it stood still. */
export type SharedTurns = { readonly loop: LoopTurns; readonly callerOf: CallerOf; readonly watch?: LoopWatch }

type TurnParts = SharedTurns & {
  /** Called when a connection that was idle has begun to send. */
  readonly speaks?: (socket: Socket) => void
}

/** For a server on its own. */
export const ownTurns = (): SharedTurns => ({ loop: new LoopTurns(), callerOf: callerByConnection })

/**
 * Has what connections send parsed in turns of their addresses, and passes the requests of a connection to `handler`
 * one after another, each once the previous one is answered and it is its caller's turn. Little is read ahead. A client
 * that pipelines a thousand requests, sends them over a thousand connections, or cuts its bodies into single bytes,
 * waits for a thousand turns, with other clients' turns in between. Nothing is refused. A complete request is handled
 * even if its client has gone by then, unless it only reads: an SOS must not be lost with the cell.
 * Call `upgraded` for a connection that becomes a WebSocket, and `broken` for one with invalid input: neither is parsed
 * any further.
 */
export function takeTurns(
  server: Server | SecureServer,
  handler: RequestListener,
  { loop, callerOf, watch, speaks = () => {} }: TurnParts = ownTurns(),
): { readonly upgraded: (socket: object) => void; readonly broken: (socket: object) => void } {
  const lines = new WeakMap<object, Line>()
  const handleInTurn: RequestListener = (request, response) => {
    loop.run(callerOf(request), () => {
      if (!request.socket.destroyed) handler(request, response)
    })
  }
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    lines.set(socket, new Line(socket, handleInTurn, { loop, watch, speaks: () => speaks(socket) }))
  })
  const take: RequestListener = (request, response) => {
    const line = lines.get(request.socket)
    if (line === undefined) handleInTurn(request, response)
    else line.take(request, response)
  }
  // An unknown expectation is no reason to turn an alarm away.
  server.on('request', take).on('checkExpectation', take)
  return {
    upgraded: (socket) => lines.get(socket)?.leave(),
    broken: (socket) => lines.get(socket)?.giveUp(),
  }
}
