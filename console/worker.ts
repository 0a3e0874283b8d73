/**
 * The service worker of the console: it shows messages of Web Push and opens the console at a tap. It keeps no files:
 * the console needs the service. Registered when an operator switches alarms on for this browser.
 */

// The used parts of a service worker, whose types contradict those of a page.
type Extendable = { waitUntil(work: Promise<unknown>): void }
type Pushed = Extendable & { readonly data: { json(): unknown } | null }
type Clicked = Extendable & { readonly notification: { close(): void; readonly data: unknown } }
type OpenPage = { readonly url: string; focus(): Promise<unknown>; navigate(url: string): Promise<unknown> }
type Scope = {
  readonly clients: {
    claim(): Promise<void>
    matchAll(of: { readonly type: 'window'; readonly includeUncontrolled: true }): Promise<readonly OpenPage[]>
    openWindow(url: string): Promise<unknown>
  }
  readonly registration: { showNotification(title: string, options: object): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void
  addEventListener(type: 'push', listener: (event: Pushed) => void): void
  addEventListener(type: 'notificationclick', listener: (event: Clicked) => void): void
}
const scope = globalThis as unknown as Scope

const PAGE = '/console/'

type Message = { readonly title?: string; readonly body?: string; readonly tag?: string; readonly path?: string }

function messageIn({ data }: Pushed): Message {
  try {
    return (data?.json() ?? {}) as Message
  } catch {
    return {}
  }
}

/** Always shown, with sound, also beside an open board: browsers end subscriptions that show nothing. */
async function show(event: Pushed): Promise<void> {
  const { title = 'Tocsin', body, tag = 'alarms', path = '#/' } = messageIn(event)
  await scope.registration.showNotification(title, {
    ...{ tag, renotify: true, requireInteraction: true, silent: false, vibrate: [400, 200, 400, 200, 400] },
    ...(body && { body }),
    data: path,
  })
}

/** Only a place in the console: a message is not trusted to name another page. */
const placeIn = (data: unknown): string => (typeof data === 'string' && /^#\/[\w/-]*$/.test(data) ? data : '#/')

async function open(data: unknown): Promise<void> {
  const target = PAGE + placeIn(data)
  const pages = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = pages.find(({ url }) => new URL(url).pathname.startsWith('/console'))
  if (page === undefined) return void (await scope.clients.openWindow(target))
  await page.focus()
  // Within the page alone: a reload would lose text being written.
  if (new URL(page.url).pathname === PAGE) await page.navigate(target).catch(() => {})
}

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()))
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))
scope.addEventListener('push', (event) => event.waitUntil(show(event)))
scope.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data))
})
