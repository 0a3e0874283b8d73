import { end, startModule } from '../children.ts'

const PROCESS = new URL('./pages-process.ts', import.meta.url)

export type PagesOrder = { readonly origin: string; readonly links: readonly string[] }

/** Live tracking pages, in a separate process. Settles once each knows its page. */
export async function openPages(origin: string, links: readonly string[]): Promise<{ stop(): Promise<void> }> {
  const child = startModule(PROCESS, [])
  const opened = new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', () => reject(new Error('the process of the tracking pages has ended')))
  })
  child.send({ origin, links } satisfies PagesOrder)
  await opened
  return { stop: () => end(child) }
}
