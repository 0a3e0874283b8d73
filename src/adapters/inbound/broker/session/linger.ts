import type { Duplex } from 'node:stream'
import { LINGER_BYTES, LINGER_MS } from '../limits.ts'

/** Ends a stream so that its last bytes arrive: closing a socket with unread input would reset the connection. */
export function linger(stream: Duplex): void {
  if (stream.destroyed) return
  stream.end()
  let discarded = 0
  stream.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > LINGER_BYTES) stream.destroy()
  })
  stream.resume()
  const timer = setTimeout(() => stream.destroy(), LINGER_MS)
  stream.once('close', () => clearTimeout(timer))
}
