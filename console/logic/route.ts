/** Where in the console somebody is, as it stands behind the # of the address. */
export type Route =
  | { readonly view: 'board' | 'wall' | 'history' | 'people' | 'devices' | 'settings' | 'system' | 'start' | 'account' }
  | { readonly view: 'incident' | 'person' | 'application'; readonly id: string }
  | { readonly view: 'invitation'; readonly invitation: string }
  | { readonly view: 'token'; readonly token: string }

const plain = ['wall', 'history', 'people', 'devices', 'settings', 'system', 'start', 'account'] as const
const withId = ['incident', 'person', 'application'] as const

/** Anything unreadable leads to the board. */
export function routeOf(hash: string): Route {
  const path = hash.replace(/^#\/?/, '')
  const secret = /^(invitation|token)=([\w.~-]{8,512})$/.exec(path)
  if (secret?.[1] === 'invitation') return { view: 'invitation', invitation: secret[2]! }
  if (secret !== null) return { view: 'token', token: secret[2]! }
  const [first = '', id] = path.split('/')
  const view = withId.find((name) => name === first)
  if (view !== undefined && id !== undefined && /^[\w-]{1,64}$/.test(id)) return { view, id }
  return { view: plain.find((name) => name === first) ?? 'board' }
}
