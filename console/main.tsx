import { render } from 'preact'
import { App } from './app.tsx'
import { loadTexts } from './state/language.ts'

const AGAIN_MS = 3000

/** Once the service answers: browsers may remember that a file could not be loaded, and nothing is shown yet. */
function reloadLater(): void {
  setTimeout(() => {
    fetch(location.pathname).then(({ ok }) => (ok ? location.reload() : reloadLater()), reloadLater)
  }, AGAIN_MS)
}

loadTexts().then(() => render(<App />, document.querySelector('#console')!), reloadLater)
