import type { Socket } from 'node:net'

/** Replaces the listener of a socket that was added last with `listener`, and returns the replaced one. */
export function replaceListener(
  socket: Socket,
  event: 'data' | 'end' | 'close',
  listener: (bytes: Buffer) => void,
): (bytes?: Buffer) => void {
  const former = socket.listeners(event).at(-1) as (bytes?: Buffer) => void
  socket.off(event, former).on(event, listener)
  return (bytes) => former.call(socket, bytes)
}
