import { createServer, type Socket } from 'node:net'
import { PacketType } from '../load/frames.ts'

/*
 * What the runtime itself takes: Node's own server, which cuts frames and acknowledges them, and does nothing else. No
 * login, no topics, no limits, no store. One write for each read, short strings as in the service. Sends its port to
 * its parent.
 */

const ACCEPTED = '\x20\x02\0\0'

/** Answers the frames in `bytes`; returns the incomplete rest. */
function answer(socket: Socket, bytes: Buffer): Buffer {
  let answers = ''
  let at = 0
  for (;;) {
    let length = 0
    let body = at + 1
    for (let shift = 0; body < bytes.length; shift += 7) {
      const byte = bytes[body++]!
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    const end = body + length
    if (body === at + 1 || bytes[body - 1]! >= 0x80 || end > bytes.length) break
    if (bytes[at]! >> 4 === PacketType.publish) {
      const id = body + 2 + bytes.readUInt16BE(body)
      answers += String.fromCharCode(PacketType.puback << 4, 2, bytes[id]!, bytes[id + 1]!)
    } else answers += ACCEPTED
    at = end
  }
  if (answers !== '') socket.write(answers, 'latin1')
  return bytes.subarray(at)
}

const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer | null = null
  socket.on('data', (chunk: Buffer) => {
    const left = answer(socket, rest === null ? chunk : Buffer.concat([rest, chunk]))
    rest = left.length === 0 ? null : left
  })
  socket.on('error', () => {})
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('disconnect', () => process.exit(0))
