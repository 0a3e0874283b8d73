import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/**
 * A connection to the plain HTTP listener. Broken connections are part of an attack, so errors only count by their
 * effect.
 */
export async function dial(http: string): Promise<Socket> {
  const { hostname, port } = new URL(http)
  const socket = connect({ port: Number(port), host: hostname })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** An HTTP/1.1 request that keeps its connection. */
export const requestFor = (path: string, headers: Readonly<Record<string, string>> = {}): string => {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** Settles when the socket has closed, or when `over` is aborted. */
export const closedOr = (socket: Socket, over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed || over.aborted) resolve()
    socket.once('close', () => resolve())
    over.addEventListener('abort', () => resolve(), { once: true })
  })

/** Settles when `over` is aborted. */
export const whenOver = (over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (over.aborted) resolve()
    over.addEventListener('abort', () => resolve(), { once: true })
  })
