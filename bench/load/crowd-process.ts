import type { Socket } from 'node:net'
import type { CrowdOrder, CrowdReport } from './crowd.ts'
import { secure } from './dial.ts'
import { connectFrame, eachPacket, eventTopic, type Identity, PacketType, subscribeFrame } from './frames.ts'

/* The clients of a crowd, which the parent tells whom to connect. Each waits for its SUBACK and then stays silent. */

const ANSWER_MS = 30_000
const SUBSCRIBE_ID = 1

const standing = new Set<Socket>()
const report = (message: CrowdReport): void => void process.send?.(message)

function open(port: number, identity: Identity): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = secure(port)
    const timeout = setTimeout(() => fail(`no answer within ${ANSWER_MS / 1000} s`), ANSWER_MS)
    const fail = (reason: string): void => {
      clearTimeout(timeout)
      reject(new Error(reason))
      socket.destroy()
    }
    socket.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message))
    socket.on('close', () => {
      standing.delete(socket)
      fail('closed by the service')
    })
    let rest: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      rest = eachPacket(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), (first, body) => {
        const type = first >> 4
        if (type === PacketType.connack && body[1] === 0) {
          socket.write(subscribeFrame(SUBSCRIBE_ID, eventTopic(identity.userId)))
        } else if (type === PacketType.suback && body[2]! < 0x80) {
          clearTimeout(timeout)
          standing.add(socket)
          resolve()
        } else {
          fail(`refused with packet type ${type}`)
        }
      })
    })
    socket.write(connectFrame(identity))
  })
}

async function openAll({ port, identities, atOnce }: CrowdOrder): Promise<void> {
  const began = performance.now()
  const failures: Record<string, number> = {}
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < identities.length) {
      await open(port, identities[next++]!).catch(({ message }: Error) => {
        failures[message] = (failures[message] ?? 0) + 1
      })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  report({ kind: 'opened', opened: standing.size, seconds: (performance.now() - began) / 1000, failures })
}

process.on('message', (order: CrowdOrder | 'standing') => {
  if (order === 'standing') report({ kind: 'standing', standing: standing.size })
  else void openAll(order)
})
process.on('disconnect', () => process.exit(0))
