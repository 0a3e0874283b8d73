import { enrolment } from './enrolment.ts'

/** An answer of the service. `status` 0: none came. `body`: its JSON, else null. */
export type Answer = { readonly status: number; readonly body: unknown; readonly retryAfterS: number }

const TIMEOUT_MS = 15_000

/** Header values are bytes; ids are UTF-8. */
const asHeader = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))

function identity(): Record<string, string> {
  const own = enrolment.value
  if (own == null) return {}
  return { 'x-app-id': own.appId, 'x-user-id': asHeader(own.userId), authorization: `Bearer ${own.credential}` }
}

/** Calls routes of the app alone; everything else goes through the SDK. Never rejects. */
export async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  try {
    const response = await fetch(path, {
      method,
      headers: {
        ...(path.startsWith('/v1/sdk/') && identity()),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    const retryAfterS = Number(response.headers.get('retry-after') ?? 0) || 0
    return { status: response.status, body: jsonIn(text), retryAfterS }
  } catch {
    return { status: 0, body: null, retryAfterS: 0 }
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
