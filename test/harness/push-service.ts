import assert from 'node:assert/strict'
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer as bodyOf } from 'node:stream/consumers'
import { createHttpCaller } from '../../src/adapters/outbound/http/http-call.ts'
import type { HttpCaller } from '../../src/ports/http-caller.ts'
import type { Ending } from './ending.ts'
import { KEEP_ALIVE_MS } from './listener.ts'

const ORIGIN = 'https://push.test'

const hkdf = (key: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length))

/** What a browser does with Web Push: a subscription with keys of its own, with which it alone reads messages. */
export class PushBrowser {
  readonly #own = createECDH('prime256v1')
  readonly #auth = randomBytes(16)
  readonly subscription: {
    readonly endpoint: string
    readonly keys: { readonly p256dh: string; readonly auth: string }
  }

  constructor(name: string) {
    const p256dh = this.#own.generateKeys('base64url')
    this.subscription = { endpoint: `${ORIGIN}/${name}`, keys: { p256dh, auth: this.#auth.toString('base64url') } }
  }

  /** RFC 8291 and RFC 8188, written apart from what the service uses. */
  read(body: Buffer): unknown {
    const salt = body.subarray(0, 16)
    const theirs = body.subarray(21, 21 + body[20]!)
    const record = body.subarray(21 + body[20]!)
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#own.getPublicKey(), theirs])
    const input = hkdf(this.#own.computeSecret(theirs), this.#auth, info, 32)
    const key = hkdf(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
    const nonce = hkdf(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
    const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16))
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
    return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString('utf8'))
  }
}

type Taken = { readonly name: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

export type PushService = {
  /** Reaches it under its https name. */
  readonly caller: HttpCaller
  readonly taken: readonly Taken[]
  /** From here on, unless it is told otherwise: 201. */
  answers(status: number): void
}

/** A push service: takes messages, and keeps them sealed as they are. */
export async function startPushService(t: Ending): Promise<PushService> {
  const taken: Taken[] = []
  let status = 201
  const server = createServer((request, response) => {
    bodyOf(request).then(
      (body) => {
        taken.push({ name: request.url!.slice(1), headers: request.headers, body })
        response.writeHead(status).end()
      },
      () => response.destroy(),
    )
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const log = { info() {}, warn() {}, error() {} }
  const resolve = async () => []
  const caller = createHttpCaller({ guarded: false, resolve, now: () => Date.now(), log })
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    caller: { ...caller, post: (call) => caller.post({ ...call, url: call.url.replace(ORIGIN, here) }) },
    taken,
    answers(code) {
      status = code
    },
  }
}

/** Whether the message names the site by the key that its browsers know (RFC 8292). */
export function assertSigned({ headers }: Taken, publicKey: string): void {
  const [, token = '', key] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(headers.authorization ?? '') ?? []
  assert.equal(key, publicKey)
  const [head, claims, signature] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const jwk = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' })
  const isTheirs = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: jwk, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature!, 'base64url'),
  )
  assert.ok(isTheirs)
  assert.equal(JSON.parse(Buffer.from(claims!, 'base64url').toString()).aud, ORIGIN)
}
