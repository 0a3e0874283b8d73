/**
 * The service worker: the app opens from its cache, with no network or a slow one. It answers for the page and the
 * files of its build, and for nothing else: `/v1` goes past it. What is kept (presses, the credential) is in
 * IndexedDB, which it does not touch.
 */

/** Names of the files of this build, and its own name: put in by the build (build/bundle.ts). */
declare const ASSETS: readonly string[]
declare const BUILD: string

// What is used of a service worker, whose types contradict those of a page.
type Extendable = { waitUntil(work: Promise<unknown>): void }
type Fetching = Extendable & { readonly request: Request; respondWith(answer: Promise<Response>): void }
type Scope = {
  readonly location: Location
  readonly clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void
  addEventListener(type: 'message', listener: (event: Extendable & { readonly data: unknown }) => void): void
}
const scope = globalThis as unknown as Scope

const PAGE = '/app/'
const CACHE = `app-${BUILD}`

async function fetchBuild(): Promise<void> {
  const cache = await caches.open(CACHE)
  const page = await fetch(PAGE, { cache: 'reload' })
  const text = await page.clone().text()
  // During an upgrade the page may be of another build: the next look finds both of one.
  if (!page.ok || !ASSETS.every((name) => text.includes(name))) throw new Error('the page is of another build')
  await Promise.all([cache.put(PAGE, page), cache.addAll(ASSETS.map((name) => `/app/assets/${name}`))])
}

/** The build before stays: a page of it that is just opening still loads its files. */
async function removeOld(): Promise<void> {
  const others = (await caches.keys()).filter((name) => name.startsWith('app-') && name !== CACHE)
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)))
}

const orFetched = async (request: Request, key: Request | string): Promise<Response> =>
  (await caches.open(CACHE).then((cache) => cache.match(key))) ?? (await caches.match(key)) ?? fetch(request)

scope.addEventListener('install', (event) => event.waitUntil(fetchBuild()))
scope.addEventListener('activate', (event) => event.waitUntil(removeOld().then(() => scope.clients.claim())))
// The page says when: while no alarm is open.
scope.addEventListener('message', (event) => {
  if (event.data === 'replace') event.waitUntil(scope.skipWaiting())
})
scope.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== scope.location.origin) return
  if (request.mode === 'navigate' && (url.pathname === PAGE || url.pathname === '/app/join'))
    event.respondWith(orFetched(request, PAGE))
  else if (url.pathname.startsWith('/app/assets/')) event.respondWith(orFetched(request, url.pathname))
})
