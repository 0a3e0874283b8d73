import { signal } from '@preact/signals'

/** The alarm whose row has the pointer or the focus: its pin stands out. */
export const litRow = signal<string | null>(null)

const rowAt = ({ target }: Event): string | null =>
  (target instanceof Element && target.closest<HTMLElement>('.row[data-id]')?.dataset.id) || null

/** For the list around the rows. */
export const litHandlers = {
  onMouseOver: (event: Event): void => {
    litRow.value = rowAt(event)
  },
  onMouseLeave: (): void => {
    litRow.value = null
  },
  onFocusIn: (event: Event): void => {
    litRow.value = rowAt(event)
  },
}

/** Highlights the rows of a pin, and no others. Not state: no row is redrawn for it. */
export function lightRows(ids: readonly string[]): void {
  for (const row of document.querySelectorAll('.row[data-lit]')) row.removeAttribute('data-lit')
  for (const id of ids) document.querySelector(`.row[data-id="${CSS.escape(id)}"]`)?.setAttribute('data-lit', '')
}
