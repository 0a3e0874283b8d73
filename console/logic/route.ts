/** The current view of the console, as in the fragment of the address. */
export type Route =
  | { readonly view: (typeof plain)[number] | 'board' }
  | { readonly view: 'incident' | 'major' | 'user' | 'application'; readonly id: string }
  | { readonly view: 'tracker'; readonly applicationId: string; readonly hardwareId: string }
  | { readonly view: 'readiness'; readonly app: string | null }
  | { readonly view: 'invitation'; readonly invitation: string }
  | { readonly view: 'setup'; readonly setup: string }
  | { readonly view: 'token'; readonly token: string }

const plain = [
  'wall',
  'history',
  'exercises',
  'users',
  'onCall',
  'trackers',
  'settings',
  'site',
  'system',
  'start',
  'account',
] as const
const withId = ['incident', 'major', 'user', 'application'] as const

/** The words of views in the address that differ from their names: bookmarks have these. */
const words: Partial<Record<Route['view'], string>> = {
  site: 'setup',
  users: 'people',
  user: 'person',
  trackers: 'devices',
  tracker: 'device',
  onCall: 'on-call',
}
const wordOf = (view: Route['view']): string => words[view] ?? view

/** The address of a view without an id. */
export const hashOf = (view: Route['view']): string => (view === 'board' ? '#/' : `#/${wordOf(view)}`)

const isId = (text: string): boolean => /^[\w-]{1,64}$/.test(text)

/** The address of one user's page. */
export const userHash = (id: string): string => `#/${wordOf('user')}/${id}`

/** The address of one tracker's page. */
export const trackerHash = (applicationId: string, hardwareId: string): string =>
  `#/${wordOf('tracker')}/${applicationId}/${encodeURIComponent(hardwareId)}`

/** Anything unreadable leads to the board. What stands behind a `?` is its filter. */
export function routeOf(hash: string): Route {
  const path = hash.replace(/^#\/?/, '').replace(/\?.*$/, '')
  const secret = /^(invitation|setup|token)=([\w.~-]{8,512})$/.exec(path)
  if (secret?.[1] === 'invitation') return { view: 'invitation', invitation: secret[2]! }
  if (secret?.[1] === 'setup') return { view: 'setup', setup: secret[2]! }
  if (secret !== null) return { view: 'token', token: secret[2]! }
  const [first = '', id] = path.split('/')
  const view = withId.find((name) => wordOf(name) === first)
  if (view !== undefined && id !== undefined && isId(id)) return { view, id }
  if (first === 'readiness') return { view: 'readiness', app: id !== undefined && isId(id) ? id : null }
  const tracker = /^device\/([\w-]{1,64})\/([^/]{1,1200})$/.exec(path)
  const hardwareId = tracker && decoded(tracker[2]!)
  if (tracker !== null && hardwareId !== null) return { view: 'tracker', applicationId: tracker[1]!, hardwareId }
  return { view: plain.find((name) => wordOf(name) === first) ?? 'board' }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
