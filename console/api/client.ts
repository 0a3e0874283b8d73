import { signal } from '@preact/signals'
import { clockOffset } from '../logic/age.ts'
import { parsePlain } from '../logic/plain-text.ts'
import { waitingFor } from '../logic/waiting.ts'

/** A refusal by the API, or an unreachable service (status 0). The message is a sentence for people. */
export class ApiError extends Error {
  readonly status: number
  /** The stable code for programs, such as `incident_not_found`. */
  readonly reason: string
  readonly body: Readonly<Record<string, unknown>>
  readonly retryAfter: number | null
  constructor(status: number, body: Readonly<Record<string, unknown>>, retryAfter: number | null = null) {
    super(String(body.message ?? `HTTP ${status}`))
    this.status = status
    this.reason = String(body.reason ?? '')
    this.body = body
    this.retryAfter = retryAfter
  }
}

/** Whether the service could not be reached, or a proxy answered in its place. */
export const isLost = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 502)

/** The server's clock minus the browser's; null until it has answered. */
export const serverOffset = signal<number | null>(null)
/** Whether the session ended while someone was working. What they typed stays. */
export const signedOut = signal(false)

/** The service words some answers itself: findings, and what to do about them. Set by what knows the language. */
let spoken = (): string => 'en'
export function speakTo(of: () => string): void {
  spoken = of
}

const BASE = '/v1/operator'
const TOKEN_KEY = 'tocsin.token'
/** The header for an API token, for a wall screen; people have a cookie that no script can read. */
export const wallToken = signal<string | null>(localStorage.getItem(TOKEN_KEY))

export function keepWallToken(token: string | null): void {
  wallToken.value = token
  if (token === null) localStorage.removeItem(TOKEN_KEY)
  else localStorage.setItem(TOKEN_KEY, token)
}

const signIns = waitingFor((asked) => {
  signedOut.value = asked
})
/** Requests that were refused because the session had ended are sent once more. */
export const signedInAgain = (): void => signIns.settle(true)
/** Asks for a sign-in, unless there was one since `turn`, that of `signInTurn` at the request. Resolves after it. */
export const signedInAfter = (turn: number): Promise<unknown> => signIns.refused(turn)
export const signInTurn = (): number => signIns.turn()

/** Whether the service asks for another proof. */
export const proofAsked = signal(false)
const proofs = waitingFor((asked) => {
  proofAsked.value = asked
})
/** Requests that waited for the proof are sent once more, or given up. */
export const proofGiven = (given: boolean): void => proofs.settle(given)

let owner = (): string | null => null
/** The operator whose page this is. Set by what knows the session. */
export function actAs(of: () => string | null): void {
  owner = of
}

/**
 * The token of a wall screen, or whose page this is: another tab of the browser may have signed somebody else in since,
 * and nothing is done in their name here.
 */
export function identity(): Record<string, string> {
  if (wallToken.value !== null) return { authorization: `Bearer ${wallToken.value}` }
  const id = owner()
  return id === null ? {} : { 'x-tocsin-operator': id }
}

/** Learns the server's time from an answer to a request of `sentMs`, by the browser's clock. */
export function noteServerTime({ headers }: Response, sentMs: number): void {
  const serverMs = Date.parse(headers.get('date') ?? '')
  if (!Number.isNaN(serverMs)) serverOffset.value = clockOffset(serverOffset.value, serverMs, sentMs, Date.now())
}

export type Options = {
  /** Whether a person acted, which keeps the session alive; the page's own requests do not. */
  readonly click?: boolean
  /** A wrong password does not mean that the session has ended. */
  readonly signsIn?: boolean
  readonly type?: string
  /** Gives up after this many milliseconds, and after another sign-in: the request may be wrong by then. */
  readonly withinMs?: number
  /** Gives the proof that the service asks for, where the page has it already. */
  readonly prove?: () => Promise<unknown>
}

/**
 * Calls the operator API. Throws an `ApiError`. If the session has ended, or the password is required once more, it
 * waits for that and repeats; until then, the page's own requests fail at once: a night of them would wait.
 */
export async function call<T>(method: string, path: string, body?: unknown, options: Options = {}): Promise<T> {
  const { click = method !== 'GET', signsIn = false, type, withinMs, prove } = options
  if (signedOut.peek() && !click && !signsIn) throw new ApiError(401, { reason: 'signed_out' })
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-language': spoken(),
    ...identity(),
  }
  if (click) headers['x-tocsin-console'] = '1'
  if (body !== undefined) headers['content-type'] = type ?? 'application/json'
  const sent = body === undefined ? null : type === undefined ? JSON.stringify(body) : String(body)
  const [signIn, proof] = [signIns.turn(), proofs.turn()]
  const cut = withinMs === undefined ? null : AbortSignal.timeout(withinMs)
  const sentMs = Date.now()
  const response = await fetch(BASE + path, {
    method,
    headers,
    body: sent,
    credentials: 'same-origin',
    signal: cut,
  }).catch(() => {
    throw new ApiError(0, {})
  })
  noteServerTime(response, sentMs)
  if (response.ok) return response.status === 204 ? (undefined as T) : await answerOf<T>(response)
  if (response.status === 401 && !signsIn) {
    const again = signIns.refused(signIn)
    if (cut !== null) throw new ApiError(401, { reason: 'signed_out' })
    await again
    return call(method, path, body, options)
  }
  const answered = await response.json().catch(() => ({}))
  if (answered?.error?.reason === 'proof_needed' && prove !== undefined) {
    await prove()
    const { prove: _, ...rest } = options
    return call(method, path, body, rest)
  }
  if (answered?.error?.reason === 'proof_needed' && (await proofs.refused(proof))) {
    return call(method, path, body, options)
  }
  throw new ApiError(response.status, answered?.error ?? {}, Number(response.headers.get('retry-after')) || null)
}

/** Cut on its way, or of a proxy or a Wi-Fi: nobody knows what the service has answered. */
async function answerOf<T>(response: Response): Promise<T> {
  try {
    return parsePlain<T>(await response.text())
  } catch {
    throw new ApiError(0, {})
  }
}

/** Caused by a click. */
export const read = <T>(path: string): Promise<T> => call<T>('GET', path, undefined, { click: true })
/** Made by the page itself, to stay up to date. */
export const poll = <T>(path: string): Promise<T> => call<T>('GET', path)
export const send = <T>(path: string, body?: unknown): Promise<T> => call<T>('POST', path, body)
