import { createHmac } from 'node:crypto'
import type { Tocsin } from './tocsin.ts'

const API = '/v1/operator'
const PASSWORD = 'a benchmark signs in here'
const DAY_MS = 86_400_000
const STEP_MS = 30_000

/** The header with which a request proves who makes it: a session's cookie, or an API token. */
export type Proof = Readonly<Record<string, string>>

type Answered = { readonly json: any; readonly cookie: string }

/** Asks the operator API as the console's own page does. Rejects unless it answers 2xx. */
async function ask(origin: string, method: string, path: string, proof: Proof, body?: unknown): Promise<Answered> {
  const headers = { ...proof, origin, 'x-tocsin-console': '1', 'content-type': 'application/json' }
  const answer = await fetch(`${origin}${API}${path}`, {
    method,
    headers: body === undefined ? { ...proof, origin, 'x-tocsin-console': '1' } : headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return { json: text === '' ? null : JSON.parse(text), cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

export type Operators = {
  /** Sessions of as many operators, each of another one. */
  readonly sessions: readonly Proof[]
  /** A new API token. */
  token(role: 'viewer' | 'admin'): Promise<string>
  get(path: string): Promise<any>
  post(path: string, body?: unknown): Promise<any>
}

/** Adds `count` operators and signs each of them in with the link for the first sign-in. */
export async function signInOperators({ http, cli }: Pick<Tocsin, 'http' | 'cli'>, count: number): Promise<Operators> {
  const accept = async (url: string): Promise<Proof> => {
    const invitation = /invitation=([^&]+)/.exec(url)![1]!
    const { json: offer } = await ask(http, 'POST', '/session/first/look', {}, { invitation })
    const code = totpOf(offer.totpSecret, Date.now())
    const { cookie } = await ask(http, 'POST', '/session/first', {}, { invitation, password: PASSWORD, code })
    return { cookie }
  }
  const { link } = (await cli('operator', 'add', 'admin', '--role', 'admin')) as { readonly link: string }
  const admin = await accept(link)
  const sessions = [admin]
  while (sessions.length < count) {
    const login = `operator-${sessions.length}`
    const given = { login, name: login, role: 'operator', applications: null }
    const { json } = await ask(http, 'POST', '/operators', admin, given)
    sessions.push(await accept(json.url))
  }
  return {
    sessions: sessions.slice(0, count),
    async token(role) {
      const expiresAt = new Date(Date.now() + DAY_MS).toISOString()
      const given = { name: `bench ${role}`, role, applications: null, expiresAt }
      return (await ask(http, 'POST', '/tokens', admin, given)).json.secret
    },
    get: async (path) => (await ask(http, 'GET', path, admin)).json,
    post: async (path, body) => (await ask(http, 'POST', path, admin, body)).json,
  }
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code that an authenticator app shows (RFC 6238). */
function totpOf(secret: string, now: number): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / STEP_MS)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const number = mac.readUInt32BE(mac.at(-1)! & 0x0f) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}
