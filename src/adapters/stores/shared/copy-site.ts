import { createHash } from 'node:crypto'
import { type SiteRow, type SiteTable, siteTables } from './site-tables.ts'

/** Rows of a table in the order of their key, so many at a time that memory stays bounded. */
export type SiteReader = { readonly rows: (table: SiteTable) => AsyncIterable<readonly SiteRow[]> }

/** A site that nothing else changes during the copy. Closing it leaves it as it was, unless it has left. */
export type SiteSource = SiteReader & {
  /** Its place, for people. */
  readonly place: string
  /**
   * Marks it as copied to `place`, so that it no longer starts. Resolves with a function that removes the mark, until
   * it is closed.
   */
  readonly leave: (place: string) => Promise<() => Promise<void>>
  readonly close: () => Promise<void>
}

/** An empty place that only this copy can use. Closing it leaves it empty, unless the copy is complete. */
export type SiteTarget = SiteReader & {
  readonly place: string
  readonly write: (table: SiteTable, rows: readonly SiteRow[]) => Promise<void>
  /** Called between the last row and the comparison. */
  readonly written: () => Promise<void>
  /** Makes it a site. Rejects with the kind `unknown` if the outcome cannot be determined. */
  readonly complete: () => Promise<void>
  readonly close: () => Promise<void>
}

export type CopiedTable = { readonly table: string; readonly rows: number; readonly sha256: string }

/** Progress of a copy. `rows`: of this table. */
type CopyProgress = { readonly step: 'copying' | 'comparing'; readonly table: string; readonly rows: number }
type Options = { readonly onProgress: (progress: CopyProgress) => void }

/**
 * Copies everything and compares it, table by table. The source stops being a site before the target becomes one: two
 * of them would alert everyone twice. Rejects with a sentence for the operator; both are then as they were before.
 */
export async function copySite(
  source: SiteSource,
  target: SiteTarget,
  { onProgress }: Options,
): Promise<readonly CopiedTable[]> {
  const copied: CopiedTable[] = []
  for (const table of siteTables) {
    const tell = (rows: number): void => onProgress({ step: 'copying', table: table.name, rows })
    copied.push(await copyTable(table, { source, target, tell }))
  }
  await target.written()
  for (const [place, table] of siteTables.entries()) {
    const tell = (rows: number): void => onProgress({ step: 'comparing', table: table.name, rows })
    compare(copied[place]!, await digestOf(table, target, { tell }))
  }
  const comeBack = await source.leave(target.place)
  try {
    await target.complete()
  } catch (error) {
    // The target cannot run either.
    if ((error as { kind?: unknown }).kind !== 'unknown') await comeBack()
    throw error
  }
  return copied
}

type TableCopy = { readonly source: SiteReader; readonly target: SiteTarget; readonly tell: (rows: number) => void }

/** One batch is on its way to the target while the next one is read. */
async function copyTable(table: SiteTable, { source, target, tell }: TableCopy): Promise<CopiedTable> {
  let writing: Promise<unknown> = Promise.resolve()
  const write = async (rows: readonly SiteRow[]): Promise<void> => {
    await writing
    writing = target.write(table, rows)
    // Awaited with the next batch or at the end, which may be after it has failed.
    writing.catch(() => {})
  }
  const copied = await digestOf(table, source, { tell, write })
  await writing
  return copied
}

/** A name of an earlier version may hold a NUL, which PostgreSQL refuses: such a site could never move. */
const withoutNul = (row: SiteRow): SiteRow =>
  row.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value))

async function digestOf(
  table: SiteTable,
  reader: SiteReader,
  { tell, write }: { tell: (rows: number) => void; write?: (rows: readonly SiteRow[]) => Promise<void> },
): Promise<CopiedTable> {
  const hash = createHash('sha256')
  let count = 0
  tell(count)
  for await (const batch of reader.rows(table)) {
    if (batch.length === 0) continue
    const rows = batch.map(withoutNul)
    // Without the outer brackets: where one batch ends and the next one begins makes no difference.
    hash.update(`${JSON.stringify(rows).slice(1, -1)},`)
    await write?.(rows)
    count += rows.length
    tell(count)
  }
  return { table: table.name, rows: count, sha256: hash.digest('hex') }
}

function compare(sent: CopiedTable, found: CopiedTable): void {
  if (sent.rows === found.rows && sent.sha256 === found.sha256) return
  const what =
    sent.rows === found.rows
      ? `the ${sent.rows} rows of the target are not those of the source`
      : `the source has ${sent.rows} rows, the target ${found.rows}`
  throw new Error(`the copy of ${sent.table} is not the same: ${what}; nothing was changed`)
}
