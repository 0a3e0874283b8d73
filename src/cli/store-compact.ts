import { setTimeout as sleep } from 'node:timers/promises'
import { compactTelemetry } from '../app/upkeep/compact-telemetry.ts'
import { releaseOfFiles } from '../lib/release.ts'
import type { NodeRecord } from '../ports/node-store.ts'
import type { Answer } from './answer.ts'
import type { CommandContext } from './command-context.ts'
import { progressLine } from './progress-line.ts'

/** `tocsin store compact`. A node of an earlier version could not read the compact form. */
export async function compactStore({ store, config }: Pick<CommandContext, 'store' | 'config'>): Promise<Answer> {
  const other = config.store.url === null ? null : await nodeOfAnotherVersion(config.store.url.reveal())
  if (other !== null) {
    const { version, lease } = other
    return {
      refused: `the node ${lease.node} may still run version ${version}, which may not read the compact form: upgrade or stop it first. A node that is lost counts for 7 days`,
    }
  }
  const line = progressLine()
  try {
    const done = await compactTelemetry({
      store,
      wait: sleep,
      onProgress: ({ rows }) => line.show(`${rows.toLocaleString('en')} rows`),
    })
    const { rows, bytes, kept } = done
    const stay = kept === 0 ? '' : ` ${kept.toLocaleString('en')} stay text, which no compact form gives back exactly.`
    const text =
      rows + kept === 0
        ? 'All telemetry is compact already.'
        : `${rows.toLocaleString('en')} rows take ${(bytes / 1e6).toFixed(1)} MB less.${stay} The database does not shrink: new rows fill the room.`
    return { json: { rows, bytes, kept }, text }
  } finally {
    line.clear()
  }
}

async function nodeOfAnotherVersion(url: string): Promise<NodeRecord | null> {
  const { mayRun } = await import('../adapters/stores/postgres/nodes.ts')
  const { openNodes } = await import('../adapters/stores/postgres/open-store.ts')
  const opened = openNodes(url)
  try {
    const { now, nodes } = await opened.nodes()
    const own = releaseOfFiles().version
    return nodes.find((node) => node.version !== own && mayRun(node, now)) ?? null
  } finally {
    await opened.close()
  }
}
