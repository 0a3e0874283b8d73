import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { windowOf } from '../logic/order.ts'
import { rootSize } from './root-size.ts'

/** Of a view with fewer rows, all are in the page: find and print work. */
const ALL_BELOW = 120
const NARROW = matchMedia('(max-width: 46rem)')

export type RowPlace = { readonly 'aria-setsize': number; readonly 'aria-posinset': number }

/** A list of rows of the same height. Only the visible ones are in the page. */
export function Rows<T>({
  items,
  among,
  rowRem,
  label,
  children,
}: {
  readonly items: readonly T[]
  /** The rows of the view, in all of its lists. */
  readonly among: number
  /** The height of a row, on a wide and on a narrow screen. */
  readonly rowRem: readonly [wide: number, narrow: number]
  readonly label: string
  readonly children: (item: T, place: RowPlace) => ComponentChildren
}) {
  const list = useRef<HTMLOListElement>(null)
  const [scrolledPx, scrolled] = useState(0)
  const [heightPx, resized] = useState(innerHeight)
  const [rootPx, grown] = useState(rootSize)
  const whole = among < ALL_BELOW
  const asked = useRef<number | null>(null)
  // Never while rows are drawn: the page would be laid out once more for each event.
  const measure = useCallback((): void => {
    asked.current ??= requestAnimationFrame(() => {
      asked.current = null
      if (list.current === null) return
      scrolled(-list.current.getBoundingClientRect().top)
      resized(innerHeight)
      grown(rootSize())
    })
  }, [])
  useEffect(() => {
    if (whole) return
    addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [whole])
  // The content above may have grown.
  useEffect(() => {
    if (!whole) measure()
  })
  const height = rootPx * (NARROW.matches ? rowRem[1] : rowRem[0])
  const seen = whole
    ? { first: 0, last: items.length, beforePx: 0, afterPx: 0 }
    : windowOf(items.length, height, scrolledPx, heightPx)
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
