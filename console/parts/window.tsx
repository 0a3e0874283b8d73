import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { windowOf } from '../logic/order.ts'

/** Below this, all rows are in the page: find and print work. */
const ALL_BELOW = 120
const NARROW = matchMedia('(max-width: 46rem)')

/** A list of rows of one height, of which only those in sight are in the page. */
export function Rows<T>({
  items,
  rowPx,
  label,
  children,
}: {
  readonly items: readonly T[]
  /** The height of a row, on a wide and on a narrow screen. */
  readonly rowPx: readonly [wide: number, narrow: number]
  readonly label: string
  readonly children: (item: T, place: { 'aria-setsize': number; 'aria-posinset': number }) => ComponentChildren
}) {
  const list = useRef<HTMLOListElement>(null)
  const [, look] = useState(0)
  const whole = items.length < ALL_BELOW
  useEffect(() => {
    if (whole) return
    let asked = false
    const again = (): void => {
      if (asked) return
      asked = true
      requestAnimationFrame(() => {
        asked = false
        look((n) => n + 1)
      })
    }
    addEventListener('scroll', again, { passive: true })
    addEventListener('resize', again)
    return () => {
      removeEventListener('scroll', again)
      removeEventListener('resize', again)
    }
  }, [whole])
  const height = NARROW.matches ? rowPx[1] : rowPx[0]
  const top = list.current === null ? 0 : list.current.getBoundingClientRect().top
  const seen = whole
    ? { first: 0, last: items.length, beforePx: 0, afterPx: 0 }
    : windowOf(items.length, height, Math.max(0, -top), innerHeight)
  return (
    <ol ref={list} class="rows" aria-label={label}>
      {seen.beforePx > 0 && <li aria-hidden="true" style={{ height: `${seen.beforePx}px` }} />}
      {items
        .slice(seen.first, seen.last)
        .map((item, n) => children(item, { 'aria-setsize': items.length, 'aria-posinset': seen.first + n + 1 }))}
      {seen.afterPx > 0 && <li aria-hidden="true" style={{ height: `${seen.afterPx}px` }} />}
    </ol>
  )
}
