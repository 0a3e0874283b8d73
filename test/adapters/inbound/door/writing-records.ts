import { createCipheriv, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Duplex, duplexPair, PassThrough } from 'node:stream'
import { connect as connectTls } from 'node:tls'

/** RFC 8446, 5.1 and 4: types of records and of messages. */
const HANDSHAKE = 22
const APPLICATION_DATA = 23
const KEY_UPDATE = Buffer.from([24, 0, 0, 1, 0])
const TAG_BYTES = 16
const KEY_BYTES = 16
const NONCE_BYTES = 12
const SECRET_BYTES = 32

/** RFC 8446, 7.1, for outputs no longer than the hash. */
function expandLabel(secret: Buffer, label: string, bytes: number): Buffer {
  const name = `tls13 ${label}`
  const info = Buffer.concat([Buffer.from([0, bytes, name.length]), Buffer.from(name), Buffer.from([0, 1])])
  return createHmac('sha256', secret).update(info).digest().subarray(0, bytes)
}

/** The records of a client after its handshake, with messages that Node has no call for. */
class RecordWriter {
  #secret: Buffer
  #sequence = 0

  constructor(secret: Buffer) {
    this.#secret = secret
  }

  /** Asks for no update of the other side. */
  keyUpdate(): Buffer {
    const record = this.#record(KEY_UPDATE, HANDSHAKE)
    this.#secret = expandLabel(this.#secret, 'traffic upd', SECRET_BYTES)
    this.#sequence = 0
    return record
  }

  /** At most 255 bytes at a time, for one key. */
  applicationData(bytes: Buffer): Buffer {
    return this.#record(bytes, APPLICATION_DATA)
  }

  #record(content: Buffer, type: number): Buffer {
    const nonce = expandLabel(this.#secret, 'iv', NONCE_BYTES)
    nonce[NONCE_BYTES - 1]! ^= this.#sequence
    this.#sequence += 1
    const header = Buffer.from([APPLICATION_DATA, 3, 3, 0, 0])
    header.writeUInt16BE(content.length + 1 + TAG_BYTES, 3)
    const cipher = createCipheriv('aes-128-gcm', expandLabel(this.#secret, 'key', KEY_BYTES), nonce).setAAD(header)
    return Buffer.concat([
      header,
      cipher.update(content),
      cipher.update(Buffer.from([type])),
      cipher.final(),
      cipher.getAuthTag(),
    ])
  }
}

/** A client that has completed its handshake, and writes the records after it itself. */
export async function writingRecords(port: number): Promise<{ readonly raw: Socket; readonly records: RecordWriter }> {
  const raw = connect(port, '127.0.0.1').on('error', () => {})
  const [inner, outer] = duplexPair()
  raw.pipe(outer).pipe(raw)
  const client = connectTls({
    socket: inner,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.3',
    ciphers: 'TLS_AES_128_GCM_SHA256',
  })
  let secret = Buffer.alloc(0)
  client
    .on('error', () => {})
    .on('keylog', (line: Buffer) => {
      const [label, , hex = ''] = line.toString().trim().split(' ')
      if (label === 'CLIENT_TRAFFIC_SECRET_0') secret = Buffer.from(hex, 'hex')
    })
  await once(client, 'secureConnect')
  return { raw, records: new RecordWriter(secret) }
}

/** What a TLS client says first. */
export async function firstRecord(): Promise<Buffer> {
  const socket = new PassThrough()
  const client = connectTls({ socket: Duplex.from({ writable: socket, readable: new PassThrough() }) })
  client.on('error', () => {})
  const [bytes] = await once(socket, 'data')
  client.destroy()
  return bytes
}
