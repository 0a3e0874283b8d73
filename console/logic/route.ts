/** The current view of the console, as in the fragment of the address. */
export type Route =
  | { readonly view: 'board' | 'wall' | 'history' | 'people' | 'devices' | 'settings' | 'system' | 'start' | 'account' }
  | { readonly view: 'incident' | 'person' | 'application'; readonly id: string }
  | { readonly view: 'device'; readonly applicationId: string; readonly hardwareId: string }
  | { readonly view: 'readiness'; readonly app: string | null }
  | { readonly view: 'invitation'; readonly invitation: string }
  | { readonly view: 'token'; readonly token: string }

const plain = ['wall', 'history', 'people', 'devices', 'settings', 'system', 'start', 'account'] as const
const withId = ['incident', 'person', 'application'] as const

const isId = (text: string): boolean => /^[\w-]{1,64}$/.test(text)

/** The address of one tracker's page. */
export const deviceHash = (applicationId: string, hardwareId: string): string =>
  `#/device/${applicationId}/${encodeURIComponent(hardwareId)}`

/** Anything unreadable leads to the board. */
export function routeOf(hash: string): Route {
  const path = hash.replace(/^#\/?/, '')
  const secret = /^(invitation|token)=([\w.~-]{8,512})$/.exec(path)
  if (secret?.[1] === 'invitation') return { view: 'invitation', invitation: secret[2]! }
  if (secret !== null) return { view: 'token', token: secret[2]! }
  const [first = '', id] = path.split('/')
  const view = withId.find((name) => name === first)
  if (view !== undefined && id !== undefined && isId(id)) return { view, id }
  if (first === 'readiness') return { view: 'readiness', app: id !== undefined && isId(id) ? id : null }
  const device = /^device\/([\w-]{1,64})\/([^/]{1,1200})$/.exec(path)
  const hardwareId = device && decoded(device[2]!)
  if (device !== null && hardwareId !== null) return { view: 'device', applicationId: device[1]!, hardwareId }
  return { view: plain.find((name) => name === first) ?? 'board' }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
