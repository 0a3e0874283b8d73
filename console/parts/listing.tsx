import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { poll, read } from '../api/client.ts'
import type { Listed } from '../api/types.ts'
import { nextItems } from '../logic/pages.ts'
import { boardReads } from '../state/board.ts'
import { texts } from '../state/language.ts'
import { Empty, Problem } from './controls.tsx'
import { problemOf } from './task.ts'

/** Calls `again` with each connection that comes back, while `problem` says that something could not be read. */
function useHealing(problem: string | null, again: () => void): void {
  const { value: reads } = boardReads
  useEffect(() => {
    if (problem !== null) again()
  }, [reads])
}

/** One thing of the API, read when the view opens, again by `again`, and after a failure with the next connection. */
export function useRead<T>(path: string) {
  const [state, set] = useState<{ found: T | null; problem: string | null }>({ found: null, problem: null })
  const [turn, next] = useState(0)
  useHealing(state.problem, () => next((n) => n + 1))
  useEffect(() => {
    let gone = false
    const ask = turn === 0 ? read<T> : poll<T>
    ask(path).then(
      (found) => !gone && set({ found, problem: null }),
      (error) => !gone && set(({ found }) => ({ found, problem: problemOf(error) })),
    )
    return () => {
      gone = true
    }
  }, [path, turn])
  return { ...state, again: () => next((n) => n + 1) }
}

export type Column<T> = readonly [heading: string, cell: (item: T) => ComponentChildren]

/** A row keeps its element: a focused button must not become the button of the next row. */
const keyOf = (item: unknown, n: number): string | number =>
  typeof item === 'object' && item !== null && 'id' in item ? String(item.id) : n

/** `empty`: the text of an empty one. */
export function Table<T>({
  items,
  columns,
  label,
  empty = texts.value.none,
}: {
  readonly items: readonly T[]
  readonly columns: readonly Column<T>[]
  readonly label: string
  readonly empty?: string | undefined
}) {
  if (items.length === 0) return <Empty>{empty}</Empty>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by the keyboard
    <div class="scroll" tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(([heading]) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, n) => (
            <tr key={keyOf(item, n)}>
              {columns.map(([heading, cell]) => (
                <td key={heading} data-label={heading}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A list of the API in pages: `path` with its filters. `turn` reads it again. */
export function Listing<T>({
  path,
  columns,
  label,
  empty,
  turn = 0,
}: {
  readonly path: string
  readonly columns: readonly Column<T>[]
  readonly label: string
  readonly empty?: string | undefined
  readonly turn?: number
}) {
  const t = texts.value
  const [items, setItems] = useState<readonly T[] | null>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const page = async (after: string | null, known: readonly T[], isGone: () => boolean): Promise<void> => {
    const queryOf = (from: string | null): string =>
      from === null ? '' : `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(from)}`
    try {
      const part = await nextItems(after, (from) => read<Listed<T>>(path + queryOf(from)))
      if (isGone()) return
      setItems([...known, ...part.items])
      setCursor(part.cursor)
      setProblem(null)
    } catch (error) {
      if (!isGone()) setProblem(problemOf(error))
    }
  }
  const [healed, heal] = useState(0)
  useHealing(problem, () => heal((n) => n + 1))
  useEffect(() => {
    let gone = false
    void page(null, [], () => gone)
    return () => {
      gone = true
    }
  }, [path, turn, healed])
  return (
    <>
      <Problem text={problem} />
      {items === null ? (
        problem === null && <Empty>{t.loading}</Empty>
      ) : (
        <Table items={items} columns={columns} label={label} empty={empty} />
      )}
      {cursor !== null && (
        <button type="button" onClick={() => void page(cursor, items ?? [], () => false)}>
          {t.more}
        </button>
      )}
    </>
  )
}
