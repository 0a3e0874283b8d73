/** The element focused or clicked last. Safari gives no focus to a button that is clicked. */
let touched: HTMLElement | null = null
const CONTROLS = 'a, button, input, select, textarea, summary, [tabindex]'
for (const kind of ['focusin', 'click'] as const) {
  const note = ({ target }: Event): void => {
    const control = target instanceof Element ? target.closest<HTMLElement>(CONTROLS) : null
    if (control !== null) touched = control
  }
  document.addEventListener(kind, note, { capture: true })
}

/** Time for a clicked element to come back after a question: a slow answer of the service. */
const PATIENCE_MS = 20_000

/** The table row of an element. The button of another row would act on somebody else. */
const rowOf = (control: HTMLElement): string => control.closest('tr')?.firstElementChild?.textContent ?? ''

/** The visible name of a control. */
function nameOf(control: HTMLElement): string {
  const labels = control instanceof HTMLInputElement || control instanceof HTMLSelectElement ? control.labels : null
  return control.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? control.textContent ?? ''
}

type Known = {
  readonly control: HTMLElement
  readonly row: string
  readonly name: string
  /** The ancestors of an element, the innermost first. */
  readonly around: readonly Element[]
}

/** The element, or its replacement: the only one with its name and row in the nearest remaining ancestor. */
function standsFor({ control: before, row, name, around }: Known): HTMLElement | null {
  if (before.isConnected) return rowOf(before) === row ? before : null
  const left = around.find((element) => element.isConnected)
  if (left === undefined) return null
  const alike = [...left.querySelectorAll<HTMLElement>(before.tagName)].filter(
    (control) => nameOf(control) === name && rowOf(control) === row,
  )
  return alike.length === 1 ? alike[0]! : null
}

function ancestorsOf(element: Element): readonly Element[] {
  const found: Element[] = []
  for (let at = element.parentElement; at !== null; at = at.parentElement) found.push(at)
  return found
}

/**
 * Remembers the focused element, or the one focused until it was disabled. The returned function gives the focus back:
 * at once or, while the element is disabled or rendered anew, as soon as possible. Never takes it from an element
 * focused meanwhile.
 */
export function keepFocus(): () => void {
  const active = document.activeElement
  const before = active instanceof HTMLElement && active !== document.body ? active : touched
  if (before === null) return () => {}
  const known = { control: before, row: rowOf(before), name: nameOf(before), around: ancestorsOf(before) }

  const isSettled = (): boolean => {
    if (document.activeElement !== document.body) return true
    standsFor(known)?.focus()
    return document.activeElement !== document.body
  }
  return () => {
    if (isSettled()) return
    const end = (): void => {
      watch.disconnect()
      clearTimeout(timer)
    }
    const watch = new MutationObserver(() => isSettled() && end())
    watch.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] })
    const timer = setTimeout(end, PATIENCE_MS)
  }
}
