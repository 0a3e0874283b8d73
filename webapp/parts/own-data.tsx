import { Problem } from '../../console/parts/blocks.tsx'
import { ownCopy } from '../logic/own-copy.ts'
import { ask } from '../state/api.ts'
import { texts } from '../state/language.ts'
import { PHONES } from '../state/phones.ts'
import { useTask } from './task.ts'

type Page = { readonly items: readonly Record<string, unknown>[]; readonly nextCursor: string | null }

/** Pages of alarms, 100 each. */
const MAX_PAGES = 10

/** Rejects where the answer did not come: half a copy would look like a whole one. */
async function read<T>(path: string): Promise<T> {
  const { status, body } = await ask('GET', path)
  if (status !== 200) throw new Error(`${status}`)
  return body as T
}

async function readAlarms(): Promise<{ readonly alarms: Page['items']; readonly hasMore: boolean }> {
  const alarms: Record<string, unknown>[] = []
  let cursor = ''
  for (let n = 0; n < MAX_PAGES; n += 1) {
    const { items, nextCursor } = await read<Page>(`/v1/sdk/sos/history?limit=100&trail=off${cursor}`)
    alarms.push(...items)
    if (nextCursor === null) return { alarms, hasMore: false }
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`
  }
  return { alarms, hasMore: true }
}

async function saveCopy(): Promise<void> {
  const profile = await read<Record<string, unknown>>('/v1/sdk/me')
  const contacts = await read<readonly unknown[]>('/v1/sdk/contacts')
  const { devices } = await read<{ readonly devices: readonly unknown[] }>(PHONES)
  const trackers = await read<readonly unknown[]>('/v1/sdk/devices')
  const timers = await read<readonly Record<string, unknown>[]>('/v1/sdk/timers')
  const card = await read<unknown>('/v1/sdk/me/card')
  const parts = { profile, contacts, phones: devices, trackers, timers, card, ...(await readAlarms()) }
  const file = new Blob([JSON.stringify(ownCopy(parts, new Date().toISOString()), null, 2)], {
    type: 'application/json',
  })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = 'sos.json'
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Saves the person's stored data as a file. */
export function OwnData() {
  const t = texts.value.more
  const { busy, problem, run } = useTask()
  return (
    <>
      <button type="button" disabled={busy} onClick={() => void run(saveCopy)}>
        {t.copy}
      </button>
      <p class="quiet">{t.copyHint}</p>
      <Problem text={problem} />
    </>
  )
}
