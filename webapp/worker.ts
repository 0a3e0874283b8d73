/**
 * The service worker: the app opens from its cache, with no network or a slow one. It answers for the page and the
 * files of its build, and for nothing else: `/v1` goes past it. What is kept (presses, the credential) is in
 * IndexedDB, where it reads only what it needs to show news. It takes messages by Web Push.
 */

/** Names of the files of this build, and its own name: put in by the build (build/bundle.ts). */
declare const ASSETS: readonly string[]
declare const BUILD: string

// The used parts of a service worker, whose types contradict those of a page.
type Extendable = { waitUntil(work: Promise<unknown>): void }
type Pushed = Extendable & { readonly data: { json(): unknown } | null }
type Clicked = Extendable & { readonly notification: { close(): void } }
type OpenPage = { readonly url: string; readonly visibilityState: string; focus(): Promise<unknown> }
type Fetching = Extendable & { readonly request: Request; respondWith(answer: Promise<Response>): void }
type Scope = {
  readonly location: Location
  readonly clients: {
    claim(): Promise<void>
    matchAll(of: { readonly type: 'window'; readonly includeUncontrolled: true }): Promise<readonly OpenPage[]>
    openWindow(url: string): Promise<unknown>
  }
  readonly registration: { showNotification(title: string, options: object): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void
  addEventListener(type: 'push', listener: (event: Pushed) => void): void
  addEventListener(type: 'notificationclick', listener: (event: Clicked) => void): void
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

const pages = async (): Promise<readonly OpenPage[]> =>
  (await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })).filter(({ url }) =>
    new URL(url).pathname.startsWith(PAGE),
  )

/** The app's state for this worker; undefined: none, or it cannot be read. */
const kept = (key: string): Promise<unknown> =>
  new Promise((resolve) => {
    const opening = indexedDB.open('tocsin-app')
    // There is no app on this phone: nothing is made either.
    opening.onupgradeneeded = () => opening.transaction?.abort()
    opening.onerror = opening.onblocked = () => resolve(undefined)
    opening.onsuccess = () => {
      const { result } = opening
      try {
        const asked = result.transaction('kept').objectStore('kept').get(key)
        asked.onsuccess = () => resolve(asked.result)
        asked.onerror = () => resolve(undefined)
        if (asked.transaction !== null) asked.transaction.oncomplete = () => result.close()
      } catch {
        resolve(undefined)
      }
    }
  })

type Message = { readonly title?: string; readonly body?: string; readonly tag?: string }

function messageIn({ data }: Pushed): Message {
  try {
    return (data?.json() ?? {}) as Message
  } catch {
    return {}
  }
}

/** Shows news as the service worded them, unless the app is on the screen, where they are already. */
async function show(event: Pushed): Promise<void> {
  const { title, body, tag } = messageIn(event)
  if (title === undefined) return
  // Sent before a silent alarm, and late: nothing may light up.
  if ((await kept('silent')) === true) return
  if ((await pages()).some(({ visibilityState }) => visibilityState === 'visible')) return
  const own = (await kept('enrolment')) as { readonly appId?: string } | undefined
  const icon = own?.appId === undefined ? {} : { icon: `/app/icon-192.png?app=${encodeURIComponent(own.appId)}` }
  // A text that has changed rings again.
  await scope.registration.showNotification(title, { tag, renotify: tag !== undefined, ...(body && { body }), ...icon })
}

async function openApp(): Promise<void> {
  const [open] = await pages()
  await (open?.focus() ?? scope.clients.openWindow(PAGE))
}

scope.addEventListener('push', (event) => event.waitUntil(show(event)))
scope.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openApp())
})
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
