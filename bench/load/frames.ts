/**
 * MQTT 3.1.1 packets, built by hand so that the load generator uses little of the processor that it shares with what it
 * measures.
 */
export const PacketType = { connack: 2, publish: 3, puback: 4, suback: 9 } as const

/** A client's credentials, and the user it publishes for. */
export type Identity = {
  readonly clientId: string
  readonly username: string
  readonly password: string
  readonly userId: string
}

export const telemetryTopic = (userId: string): string => `tel/${userId}/data`
export const alertTopic = (userId: string): string => `sos/alerts/${userId}`
export const eventTopic = (userId: string): string => `sos/events/${userId}`

const field = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([uint16(bytes.length), bytes])
}

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])

function packet(first: number, body: Buffer): Buffer {
  const header = [first]
  let rest = body.length
  do {
    header.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
    rest >>= 7
  } while (rest > 0)
  return Buffer.concat([Buffer.from(header), body])
}

const CLEAN_WITH_PASSWORD = 0xc2
const KEEP_ALIVE_SECONDS = 600

export function connectFrame({ clientId, username, password }: Identity): Buffer {
  const head = Buffer.concat([field('MQTT'), Buffer.from([4, CLEAN_WITH_PASSWORD]), uint16(KEEP_ALIVE_SECONDS)])
  return packet(0x10, Buffer.concat([head, field(clientId), field(username), field(password)]))
}

export const subscribeFrame = (id: number, topic: string): Buffer =>
  packet(0x82, Buffer.concat([uint16(id), field(topic), Buffer.from([1])]))

/** A PUBLISH at QoS 1. */
export const publishFrame = (id: number, topic: string, payload: string): Buffer =>
  packet(0x32, Buffer.concat([field(topic), uint16(id), Buffer.from(payload)]))

export const pubackFrame = (id: number): Buffer => Buffer.concat([Buffer.from([0x40, 2]), uint16(id)])

/** Splits received bytes into complete packets: the first byte of each and its body. Returns the incomplete rest. */
export function eachPacket(bytes: Buffer, take: (first: number, body: Buffer) => void): Buffer {
  let at = 0
  for (;;) {
    let length = 0
    let headerEnd = at + 1
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[headerEnd]
      if (byte === undefined) return bytes.subarray(at)
      headerEnd++
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    if (headerEnd + length > bytes.length) return bytes.subarray(at)
    take(bytes[at]!, bytes.subarray(headerEnd, headerEnd + length))
    at = headerEnd + length
  }
}
