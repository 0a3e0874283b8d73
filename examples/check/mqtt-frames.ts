/** The packets that the line looks into. MQTT 5, 2.1.2. */
export const PacketType = { connect: 1, connack: 2, publish: 3, puback: 4 } as const

/** `bytes`: the whole packet, as it came. `body`: without its fixed header. */
export type Packet = { readonly type: number; readonly flags: number; readonly body: Buffer; readonly bytes: Buffer }

/** What the service takes is far smaller. */
const MAX_BYTES = 1024 * 1024

/** Splits a stream into packets. Throws where the stream is not MQTT. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0)

  packetsOf(chunk: Buffer): readonly Packet[] {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const packets: Packet[] = []
    while (this.#rest.length >= 2) {
      const length = varInt(this.#rest, 1)
      if (length === null) break
      const end = length.end + length.value
      if (end > MAX_BYTES) throw new Error('a packet above 1 MiB')
      if (this.#rest.length < end) break
      const bytes = this.#rest.subarray(0, end)
      this.#rest = this.#rest.subarray(end)
      packets.push({ type: bytes[0]! >> 4, flags: bytes[0]! & 0x0f, body: bytes.subarray(length.end), bytes })
    }
    return packets
  }
}

function varInt(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | null {
  let value = 0
  for (let n = 0; n < 4; n += 1) {
    const byte = bytes[at + n]
    if (byte === undefined) return null
    value += (byte & 0x7f) * 128 ** n
    if (byte < 0x80) return { value, end: at + n + 1 }
  }
  throw new Error('a length that is not MQTT')
}

const textAt = (body: Buffer, at: number): { readonly text: string; readonly end: number } => {
  const end = at + 2 + body.readUInt16BE(at)
  return { text: body.toString('utf8', at + 2, end), end }
}

const afterProperties = (body: Buffer, at: number, version: number): number => {
  if (version < 5) return at
  const length = varInt(body, at)
  return length === null ? body.length : length.end + length.value
}

export function connectOf({ body }: Packet): { readonly version: number; readonly clientId: string } {
  const { end } = textAt(body, 0)
  const version = body[end]!
  return { version, clientId: textAt(body, afterProperties(body, end + 4, version)).text }
}

export function publishOf({ flags, body }: Packet, version: number) {
  const { text: topic, end } = textAt(body, 0)
  const qos = (flags >> 1) & 3
  const id = qos === 0 ? null : body.readUInt16BE(end)
  const payload = body.subarray(afterProperties(body, qos === 0 ? end : end + 2, version))
  return { topic, qos, id, payload }
}

/** 0: granted. An MQTT 5 PUBACK without a reason says so by being short. */
export const codeOf = ({ type, body }: Packet): number => (type === PacketType.connack ? body[1]! : (body[2] ?? 0))

export const pubackIdOf = ({ body }: Packet): number => body.readUInt16BE(0)

/** "Server unavailable": the client is to try again. */
export const unavailable = (version: number): Buffer =>
  version < 5 ? Buffer.from([0x20, 2, 0, 3]) : Buffer.from([0x20, 3, 0, 0x88, 0])
