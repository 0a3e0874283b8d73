import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type KeyAct, keyReader } from '../logic/keys.ts'
import { texts } from '../state/language.ts'
import { route } from '../state/route.ts'
import { useModal } from './blocks.tsx'

const isHelpOpen = signal(false)

const KEY = 'tocsin.keys'
const stored = (): boolean => {
  try {
    return localStorage.getItem(KEY) !== 'off'
  } catch {
    return true
  }
}
/** Somebody who speaks to their computer, or types by a switch, turns single keys off. */
const isOn = signal(stored())

function turn(on: boolean): void {
  isOn.value = on
  try {
    localStorage.setItem(KEY, on ? 'on' : 'off')
  } catch {
    // Until the page is left.
  }
}

const FIELDS = 'input, textarea, select, [contenteditable]'
const APPEARS_MS = 10_000

/** Somebody is typing, or answers a question: keys pressed before lead nowhere any more. */
const isOccupied = (): boolean =>
  document.activeElement?.matches(FIELDS) === true || document.querySelector('dialog[open]') !== null

/**
 * Calls `found` once the element is in the page (`data-key`: where a key leads), unless another view is opened or
 * somebody has gone on to something else.
 */
function once(selector: string, found: (element: HTMLElement) => void): void {
  const hash = location.hash
  const look = (): boolean => {
    const element = document.querySelector<HTMLElement>(selector)
    const isOff = location.hash !== hash || isOccupied()
    if (element !== null && !isOff) found(element)
    return element !== null || isOff
  }
  if (look()) return
  const watch = new MutationObserver(() => look() && end())
  const timer = setTimeout(() => end(), APPEARS_MS)
  const end = (): void => {
    watch.disconnect()
    clearTimeout(timer)
  }
  watch.observe(document.body, { subtree: true, childList: true })
}

/** The alarm that was opened last: back on the board, its row has the focus. */
let opened: string | null = null

const rowLinks = (): readonly HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.row[data-id] > a')]

function move(by: 1 | -1): void {
  const links = rowLinks()
  const at = links.indexOf(document.activeElement as HTMLElement)
  const to = at === -1 ? links[0] : links[at + by]
  to?.focus({ preventScroll: true })
  to?.scrollIntoView({ block: 'nearest' })
}

function go(hash: string): void {
  if (location.hash !== hash) location.hash = hash
}

/** Leads to the place in the view of an alarm: from the board, of the alarm whose row has the focus. */
function lead(to: 'take' | 'note' | 'end'): void {
  if (route.value.view === 'board') {
    const id = document.activeElement?.closest<HTMLElement>('.row[data-id]')?.dataset.id
    if (id === undefined) return
    go(`#/incident/${id}`)
  } else if (route.value.view !== 'incident') return
  once(`[data-key="${to}"]`, (element) => {
    element.focus()
    // The question comes first.
    if (to === 'end') element.click()
  })
}

function perform(act: KeyAct): boolean {
  const { view } = route.value
  switch (act) {
    case 'next':
    case 'previous':
      if (view !== 'board') return false
      move(act === 'next' ? 1 : -1)
      return true
    case 'take':
    case 'note':
    case 'end':
      lead(act)
      return true
    case 'search':
      go('#/history')
      once('[data-key="search"]', (field) => field.focus())
      return true
    case 'board':
      go('#/')
      return true
    case 'history':
      go('#/history')
      return true
    case 'back':
      if (view !== 'incident' && view !== 'major') return false
      go('#/')
      return true
    case 'help':
      isHelpOpen.value = true
      return true
    default:
      return act satisfies never
  }
}

/** The page by keyboard alone. Keys typed into a field, and those in a dialog, are theirs. */
export function Keys() {
  useEffect(() => {
    const read = keyReader()
    const press = (event: KeyboardEvent): void => {
      const { target } = event
      const isTaken = event.defaultPrevented || isOccupied()
      if (isTaken || (target instanceof Element && target.closest(FIELDS) !== null)) return
      const act = read(event, performance.now())
      if (act === null || (!isOn.value && act !== 'help')) return
      if (perform(act)) event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  useEffect(() => {
    const { value: at } = route
    if (at.view === 'incident') opened = at.id
    if (at.view !== 'board' || opened === null) return
    const id = opened
    opened = null
    once(`.row[data-id="${CSS.escape(id)}"] > a`, (link) => {
      if (document.activeElement === document.body) link.focus({ preventScroll: true })
    })
  }, [route.value])
  return isHelpOpen.value ? <Help /> : null
}

/** Opens the list of keys. */
export const openHelp = (): void => {
  isHelpOpen.value = true
}

const keysOf: readonly (readonly [KeyAct | 'open', string])[] = [
  ['next', 'j  ↓'],
  ['previous', 'k  ↑'],
  ['open', '⏎'],
  ['take', 't'],
  ['note', 'n'],
  ['end', 'e'],
  ['search', '/'],
  ['board', 'g b'],
  ['history', 'g h'],
  ['back', 'Esc'],
  ['help', '?'],
]

function Help() {
  const t = texts.value.desk.keys
  const dialog = useModal()
  const close = (): void => {
    isHelpOpen.value = false
  }
  return (
    <dialog ref={dialog} aria-labelledby="keys" onClose={close}>
      <h2 id="keys">{t.title}</h2>
      <dl class="keys">
        {keysOf.map(([act, keys]) => (
          <div key={act}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{t.acts[act]}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={isOn.value} onChange={(event) => turn(event.currentTarget.checked)} />
        {t.on}
      </label>
      <div class="actions">
        <button type="button" class="main" onClick={close}>
          {t.close}
        </button>
      </div>
    </dialog>
  )
}

/** The first stop of the keyboard: past the navigation, to the first alarm or the content. */
export function SkipLink() {
  const skip = (): void => {
    const main = document.querySelector<HTMLElement>('main')
    const first = main?.querySelector<HTMLElement>('.row > a') ?? main
    if (first === main) main?.setAttribute('tabindex', '-1')
    first?.focus()
  }
  return (
    <button type="button" class="skip" onClick={skip}>
      {texts.value.desk.keys.skip}
    </button>
  )
}

/** After an act by keyboard whose button is gone: the focus goes where the result stands. */
export function focusResult(): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body && document.activeElement !== null) return
    document.querySelector<HTMLElement>('[data-key="result"]')?.focus({ preventScroll: true })
  })
}
