import { useEffect } from 'preact/hooks'
import { LanguagePicker } from './parts/language-picker.tsx'
import { language, texts } from './state/language.ts'
import { keepOffline } from './state/worker.ts'

/** Until an invitation is opened, the app has nobody to alarm anyone for, and says what to do instead. */
export function App() {
  const t = texts.value
  useEffect(() => keepOffline(() => true), [])
  useEffect(() => {
    document.documentElement.lang = language.value
  }, [language.value])
  return (
    <main>
      <h1>SOS</h1>
      <p>{t.notJoined}</p>
      <p>
        <a class="button call" href="tel:112">
          {t.call('112')}
        </a>
      </p>
      <LanguagePicker />
    </main>
  )
}
