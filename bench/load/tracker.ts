import type { Socket } from 'node:net'
import { type Dial, plain } from './dial.ts'
import {
  alertTopic,
  connectFrame,
  eachPacket,
  eventTopic,
  type Identity,
  PacketType,
  pubackFrame,
  publishFrame,
  subscribeFrame,
} from './frames.ts'

/** `pressedAt`: epoch ms, to the microsecond. From then on, milliseconds. */
export type Pressed = { readonly pressedAt: number; readonly processedMs: number; readonly acknowledgedMs: number }

const ANSWER_MS = 20_000
const SUBSCRIBE_ID = 1
const ALERT_ID = 2

/** One user's phone: connected, subscribed to its own events, and able to press SOS. */
export type Tracker = {
  readonly userId: string
  /** Presses SOS while no incident is open. Settles after the `processed` event and the PUBACK. */
  press(): Promise<Pressed>
  /** Presses once more while one is open, which is announced only where it alarms again. Settles with the PUBACK. */
  pressAgain(): Promise<void>
  close(): void
}

/** Connects and subscribes. Rejects if either is refused or takes 20 s. */
async function connectTracker(port: number, identity: Identity, dial: Dial = plain): Promise<Tracker> {
  const socket = dial(port)
  const waiting = new Map<string, (at: number) => void>()
  const happened = (what: string): void => {
    waiting.get(what)?.(performance.now())
    waiting.delete(what)
  }
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    rest = eachPacket(bytes, (first, body) => take(socket, first, body, happened))
  })
  let lost: Error | null = null
  socket.on('error', (error) => {
    lost = error
  })
  const until = (what: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const timeout = setTimeout(() => {
        reject(new Error(`no ${what} for ${identity.username} within ${ANSWER_MS} ms`, { cause: lost }))
      }, ANSWER_MS)
      waiting.set(what, (at) => {
        clearTimeout(timeout)
        resolve(at)
      })
    })
  socket.write(connectFrame(identity))
  await until('CONNACK')
  socket.write(subscribeFrame(SUBSCRIBE_ID, eventTopic(identity.userId)))
  await until('SUBACK')
  const publish = (): number => {
    const frame = publishFrame(ALERT_ID, alertTopic(identity.userId), alert())
    const at = performance.now()
    socket.write(frame)
    return at
  }
  return {
    userId: identity.userId,
    async press() {
      const answers = Promise.all([until('processed'), until('PUBACK')])
      const at = publish()
      const [processed, acknowledged] = await answers
      const pressedAt = performance.timeOrigin + at
      return { pressedAt, processedMs: processed - at, acknowledgedMs: acknowledged - at }
    },
    async pressAgain() {
      const answer = until('PUBACK')
      publish()
      await answer
    },
    close: () => socket.destroy(),
  }
}

const alert = (): string =>
  JSON.stringify({
    timestamp: new Date().toISOString(),
    latitude: 46.5371,
    longitude: 12.1392,
    altitude: 2417.5,
    mobileBattery: 41,
    mobileCoverage: { networkType: 'lte', isConnected: true },
  })

function take(socket: Socket, first: number, body: Buffer, happened: (what: string) => void): void {
  switch (first >> 4) {
    case PacketType.connack:
      if (body[1] === 0) happened('CONNACK')
      return
    case PacketType.suback:
      if (body[2]! < 0x80) happened('SUBACK')
      return
    case PacketType.puback:
      happened('PUBACK')
      return
    case PacketType.publish: {
      const topicEnd = 2 + body.readUInt16BE(0)
      const payload = body.subarray((first & 0x06) === 0 ? topicEnd : topicEnd + 2)
      if (payload.includes('"type":"processed"')) happened('processed')
      if ((first & 0x06) !== 0) socket.write(pubackFrame(body.readUInt16BE(topicEnd)))
      return
    }
  }
}

/** Connects them all, some at a time. */
export async function connectTrackers(
  port: number,
  identities: readonly Identity[],
  dial: Dial = plain,
): Promise<Tracker[]> {
  const trackers: Tracker[] = []
  for (let at = 0; at < identities.length; at += 50) {
    const batch = identities.slice(at, at + 50)
    trackers.push(...(await Promise.all(batch.map((identity) => connectTracker(port, identity, dial)))))
  }
  return trackers
}
