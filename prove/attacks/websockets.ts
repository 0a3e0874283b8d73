import { once } from 'node:events'
import type { Socket } from 'node:net'
import { dial, whenOver } from './raw-http.ts'
import { attackPart } from './under-attack.ts'

const CONNECTIONS = 1000
const AT_ONCE = 50
const MESSAGE_BYTES = 256 * 1024
const FRAGMENTS = 16

const UPGRADE = [
  'GET /mqtt HTTP/1.1',
  'host: localhost',
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-protocol: mqtt',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n')

/** The header of a masked frame; the mask is 0, so the bytes go out unchanged. */
function frameHead(first: number, bytes: number): Buffer {
  const head = Buffer.alloc(14)
  head[0] = first
  head[1] = 0x80 | 127
  head.writeBigUInt64BE(BigInt(bytes), 2)
  return head
}

const BINARY = 0x02
const CONTINUATION = 0x00
const LAST = 0x80

/** A message that never completes: a frame without its last byte. */
const unfinished = Buffer.concat([frameHead(LAST | BINARY, MESSAGE_BYTES), Buffer.alloc(MESSAGE_BYTES - 1)])
/** The same in fragments, without the last one. */
const fragments = Buffer.concat(
  Array.from({ length: FRAGMENTS }, (_, n) => [
    frameHead(n === 0 ? BINARY : CONTINUATION, MESSAGE_BYTES / FRAGMENTS - 1),
    Buffer.alloc(MESSAGE_BYTES / FRAGMENTS - 1),
  ]).flat(),
)

/** How much memory clients can occupy before their login. */
export const websockets = attackPart({
  name: 'websockets',
  what: `${CONNECTIONS} WebSockets before their login, each with 256 KiB of a message that is never complete, half of them in fragments`,
  async run({ site, over }) {
    const sockets: Socket[] = []
    let accepted = 0
    const open = async (n: number): Promise<void> => {
      try {
        const socket = await dial(site.http)
        sockets.push(socket)
        const answer = Promise.race([once(socket, 'data'), once(socket, 'close'), whenOver(over)])
        socket.write(UPGRADE)
        const [head] = ((await answer) ?? []) as [Buffer?]
        if (head?.toString('latin1').startsWith('HTTP/1.1 101')) accepted += 1
        socket.resume()
        socket.write(n % 2 === 0 ? unfinished : fragments)
      } catch {
        // Refused; it shows in the number accepted.
      }
    }
    for (let at = 0; at < CONNECTIONS && !over.aborted; at += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => open(at + n)))
    }
    await whenOver(over)
    const standing = sockets.filter((socket) => !socket.closed).length
    for (const socket of sockets) socket.destroy()
    return `${accepted} upgraded, ${standing} stood in the end`
  },
})
