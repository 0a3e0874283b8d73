/** How often an open app looks for a new build. */
const LOOK_MS = 3_600_000

/**
 * Registers the service worker. A new build takes over, and the page loads anew, only when `isIdle` says so: never
 * during an alarm, nor between a press and the server's answer.
 */
export function keepOffline(isIdle: () => boolean): void {
  const { serviceWorker: workers } = navigator
  // Absent on pages without trusted HTTPS: the app works, but only with a network.
  if (workers === undefined) return
  // The first worker of this browser takes the page over as it is.
  let isControlled = workers.controller !== null
  workers.addEventListener('controllerchange', () => {
    if (isControlled && isIdle()) location.reload()
    isControlled = true
  })
  void workers
    .register('/app/sw.js', { scope: '/app/', updateViaCache: 'none' })
    .then((registration) => {
      let lookedAt = Date.now()
      const replace = (): void => {
        if (isIdle()) registration.waiting?.postMessage('replace')
      }
      replace()
      registration.addEventListener('updatefound', () =>
        registration.installing?.addEventListener('statechange', replace),
      )
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState !== 'visible') return
        replace()
        if (Date.now() - lookedAt < LOOK_MS) return
        lookedAt = Date.now()
        void registration.update().catch(() => {})
      })
    })
    .catch(() => {})
}
